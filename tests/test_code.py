"""Code: as it was typed, in one block, with its language, and without what stands beside it."""

# ruff: noqa: E501  (pages as generators write them)
from __future__ import annotations

import pytest
from cases import rows
from markdown_it import MarkdownIt

from scrapy_boilerplate import extract

PROSE = "<p>It rained all day in the town, and nobody went out to look at the river, or at us.</p>"
LINES = "let a = 1\nlet b = 2"


def page_of(part: str) -> str:
    return f"<title>A title</title><article><h1>A title</h1>{PROSE * 4}{part}{PROSE * 3}</article>"


def blocks_of(markdown: str) -> list[tuple[str, str]]:
    """Return language and text of each block of code, as CommonMark reads them."""
    tokens = MarkdownIt("commonmark").parse(markdown)
    found = (token for token in tokens if token.type in ("fence", "code_block"))
    return [(token.info.strip(), token.content.rstrip("\n")) for token in found]


def numbered(cell: str = "td", gutter: str = "gutter", code: str = "code") -> str:
    return (
        f"<{cell} class='{gutter}'><pre>1\n2\n</pre></{cell}>"
        f"<{cell} class='{code}'><pre>{LINES}\n</pre></{cell}>"
    )


LANGUAGES = {
    "CommonMark": "<pre><code class='language-js'>{}</code></pre>",
    "GitHub": "<div class='highlight highlight-source-js' dir='auto'><pre>{}</pre></div>",
    "GitLab": "<pre class='code highlight js-syntax-highlight language-js' lang='js'><code>{}</code></pre>",
    "Sphinx": "<div class='highlight-js notranslate'><div class='highlight'><pre><span></span>{}</pre></div></div>",
    "Sphinx, a caption": "<div class='literal-block-wrapper docutils container'><div class='code-block-caption'><span class='caption-text'>The boats of the bay</span></div><div class='highlight-js notranslate'><div class='highlight'><pre>{}</pre></div></div></div>",
    "docutils": "<pre class='code js literal-block'><code>{}</code></pre>",
    "Hexo": "<figure class='highlight js'><figcaption><span>boats.js</span></figcaption><table><tr><td class='code'><pre>{}</pre></td></tr></table></figure>",
    "Hexo, highlight.js": "<pre><code class='hljs js'>{}</code></pre>",
    "MediaWiki": "<div class='mw-highlight mw-highlight-lang-js mw-content-ltr mw-highlight-lines' dir='ltr'><pre><span></span>{}</pre></div>",
    "DokuWiki": "<dl class='file'><dt><a href='?do=export_code&codeblock=0' class='mediafile mf_js'>boats.js</a></dt><dd><pre class='code file js'>{}</pre></dd></dl>",
    "Pandoc": "<div class='sourceCode' id='cb1'><pre class='sourceCode numberSource js numberLines'><code class='sourceCode js'>{}</code></pre></div>",
    "Quarto": "<div class='code-copy-outer-scaffold'><div class='sourceCode cell-code' id='cb1'><pre class='sourceCode js code-with-copy'><code class='sourceCode js'>{}</code></pre></div><button title='Copy to Clipboard' class='code-copy-button'><i class='bi'></i></button></div>",
    "Org": "<div class='org-src-container'><pre class='src src-js'>{}</pre></div>",
    "WordPress": "<pre class='wp-block-code'><code lang='js' class='language-js'>{}</code></pre>",
    "pre lang": "<pre lang='js' line='1'>{}</pre>",
    "a class": "<pre><code class='js'>{}</code></pre>",
    "Redmine": "<pre><code class='js syntaxhl'>{}</code></pre>",
    "Enlighter": "<pre class='EnlighterJSRAW' data-enlighter-language='js'>{}</pre>",
    "Crayon, raw": "<pre class='lang:js decode:true'>{}</pre>",
    "SyntaxHighlighter": "<pre class='brush: js; toolbar: false'>{}</pre>",
    "Mintlify": "<div class='code-block mt-5' language='js'><div class='w-0 min-w-full'><pre class='shiki shiki-themes' language='js'><code language='js'>{}</code></pre></div></div>",
    "Gatsby": "<div class='gatsby-highlight' data-language='js'><pre class='language-js'><code>{}</code></pre></div>",
    "Nextra": "<pre data-language='js' data-theme='default'><code class='nx-text' data-language='js'>{}</code></pre>",
    "Zola": "<pre data-lang='js' class='language-js'><code class='language-js' data-lang='js'>{}</code></pre>",
    "Hugo": "<div class='highlight'><pre tabindex='0' class='chroma'><code class='language-js' data-lang='js'>{}</code></pre></div>",
    "Discourse": "<pre data-code-wrap='js'><code class='lang-js hljs'>{}</code></pre>",
    "Stack Overflow": "<pre class='lang-js s-code-block'><code class='hljs language-js'>{}</code></pre>",
    "Prettify": "<pre class='prettyprint js'>{}</pre>",
    "Medium": "<pre class='graf' data-code-block-mode='2' data-code-block-lang='js'><span class='pre--content'>{}</span></pre>",
    "Asciidoctor": "<div class='listingblock'><div class='content'><pre class='highlightjs highlight'><code data-lang='js' class='language-js hljs'>{}</code></pre></div></div>",
    "Jekyll": "<div class='language-js highlighter-rouge'><div class='highlight'><pre class='highlight'><code>{}</code></pre></div></div>",
    "VitePress": "<div class='language-js vp-adaptive-theme'><button title='Copy Code' class='copy'></button><span class='lang'>js</span><pre class='shiki'><code><span class='line'>{}</span></code></pre></div>",
    "Docusaurus": "<div class='language-js codeBlockContainer_Ckt0 theme-code-block'><div class='codeBlockTitle_Ktv7'>The boats</div><div class='codeBlockContent_biex'><pre tabindex='0' class='prism-code language-js codeBlock_bY9V'><code class='codeBlockLines_e6Vv'>{}</code></pre><div class='buttonGroup__atx'><button>Copy</button></div></div></div>",
    "MkDocs": "<div class='language-js highlight'><span class='filename'>boats.js</span><pre><span></span><code>{}</code></pre></div>",
    "Starlight": "<div class='expressive-code'><figure class='frame has-title not-content'><figcaption class='header'><span class='title'>src/boats.js</span></figcaption><pre data-language='js'><code>{}</code></pre><div class='copy'><button title='Copy to clipboard'><div></div></button></div></figure></div>",
    "Chirpy": "<div class='language-js highlighter-rouge'><div class='code-header'><span data-label-text='JavaScript'><i class='fas'></i></span><button><i></i></button></div><div class='highlight'><code><table class='rouge-table'><tbody><tr><td class='rouge-gutter gl'><pre class='lineno'>1\n2\n</pre></td><td class='rouge-code'><pre>{}\n</pre></td></tr></tbody></table></code></div></div>",
    "Jekyll, numbers": "<figure class='highlight'><pre><code class='language-js' data-lang='js'><table class='rouge-table'><tbody><tr><td class='gutter gl'><pre class='lineno'>1\n2\n</pre></td><td class='code'><pre>{}\n</pre></td></tr></tbody></table></code></pre></figure>",
    "kramdown, a table": "<div class='language-js highlighter-coderay'><table class='CodeRay'><tr><td class='line-numbers'><pre>1\n2\n</pre></td><td class='code'><pre>{}</pre></td></tr></table></div>",
    "MkDocs, numbers": "<div class='language-js highlight'><table class='highlighttable'><tr><th colspan='2' class='filename'><span class='filename'>boats.js</span></th></tr><tr><td class='linenos'><div class='linenodiv'><pre><span></span><span class='normal'>1</span>\n<span class='normal'>2</span></pre></div></td><td class='code'><div><pre><span></span><code>{}</code></pre></div></td></tr></table></div>",
    "a chat": "<pre class='overflow-visible'><div class='contain-inline-size rounded-2xl'><div class='flex items-center text-xs'>js</div><div class='sticky'><div class='absolute'><div class='flex'><button class='flex gap-1'>Copy code</button></div></div></div><div class='overflow-y-auto p-4' dir='ltr'><code class='whitespace-pre! language-js'>{}</code></div></div></pre>",
    "another chat": "<div class='code-block'><div class='header'><span>javascript</span><div class='actions'><button>Copy</button><button>Download</button></div></div><pre><code class='language-js'>{}</code></pre></div>",
    "Prism, a toolbar": "<div class='code-toolbar'><pre class='language-js'><code class='language-js'>{}</code></pre><div class='toolbar'><div class='toolbar-item'><span>JavaScript</span></div><div class='toolbar-item'><button>Copy</button></div></div></div>",
}


@pytest.mark.parametrize("name", LANGUAGES)
def test_generators_name_the_language(name: str) -> None:
    answer = extract(page_of(LANGUAGES[name].replace("{}", LINES)))
    assert blocks_of(answer.markdown) == [("js", LINES)]
    assert "Copy" not in answer.markdown
    assert "boats.js" not in answer.text
    assert LINES in answer.text


@pytest.mark.parametrize(
    "part",
    [
        "<pre><code class='language-plaintext'>{}</code></pre>",
        "<div class='highlight-default notranslate'><div class='highlight'><pre>{}</pre></div></div>",
        "<pre lang='en'>{}</pre>",
        "<div class='sourceCode'><pre class='sourceCode'><code class='sourceCode'>{}</code></pre></div>",
        "<div class='highlight' lang='en-GB'><pre class='go io text'>{}</pre></div>",
        "<div class='language-en'><p>And so it rained.</p><pre>{}</pre></div>",
    ],
)
def test_what_is_no_language(part: str) -> None:
    answer = extract(page_of(part.replace("{}", LINES)))
    assert blocks_of(answer.markdown) == [("", LINES)]


NUMBERED = {
    "cells": f"<table class='highlight'><tr>{numbered()}</tr></table>",
    "flex": f"<div class='highlight' style='display:flex'>{numbered('div')}</div>",
    "in pre, flex": f"<pre style='display:flex'><span class='gutter'>1\n2\n</span><code>{LINES}</code></pre>",
    "spans": "<pre><code><span class='ln'>1</span>let a = 1\n<span class='ln'>2</span>let b = 2\n</code></pre>",
    "chroma": "<pre><code><span style='display:flex;'><span style='user-select:none'>1</span><span>let a = 1\n</span></span><span style='display:flex;'><span style='user-select:none'>2</span><span>let b = 2\n</span></span></code></pre>",
    "rows of pre": "<div class='code'><div class='row flex'><span class='gutter'>1</span><pre>let a = 1</pre></div><div class='row flex'><span class='gutter'>2</span><pre>let b = 2</pre></div></div>",
    "rows, no class": "<div><div><div>1</div><pre>let a = 1</pre></div><div><div>2</div><pre>let b = 2</pre></div></div>",
    "Zola": "<pre data-linenos><code><table><tbody><tr><td>1</td><td>let a = 1\n</td></tr><tr><td>2</td><td>let b = 2\n</td></tr></tbody></table></code></pre>",
    "VitePress": f"<div class='language-js line-numbers-mode'><span class='lang'>js</span><pre><code>{LINES}</code></pre><div class='line-numbers-wrapper' aria-hidden='true'><span class='line-number'>1</span><br><span class='line-number'>2</span><br></div></div>",
    "boards": f"<div class='codebox'><p>Code: <a href='#'>Alles auswählen</a></p><pre><code>{LINES}</code></pre></div>",
    "Crayon": "<div class='crayon-syntax'><div class='crayon-toolbar'><span class='crayon-title'></span><span class='crayon-language'>JavaScript</span></div><div class='crayon-main'><table class='crayon-table'><tr class='crayon-row'><td class='crayon-nums'><div class='crayon-nums-content'><div class='crayon-num'>1</div><div class='crayon-num'>2</div></div></td><td class='crayon-code'><div class='crayon-pre'><div class='crayon-line'><span>let</span> a = 1</div><div class='crayon-line'><span>let</span> b = 2</div></div></td></tr></table></div></div>",
    "SyntaxHighlighter": "<div class='syntaxhighlighter js'><table><tbody><tr><td class='gutter'><div class='line number1'>1</div><div class='line number2'>2</div></td><td class='code'><div class='container'><div class='line number1'><code class='js plain'>let a = 1</code></div><div class='line number2'><code class='js plain'>let b = 2</code></div></div></td></tr></tbody></table></div>",
    "rows": "<table class='highlight js-file-line-container'><tr><td class='blob-num js-line-number' data-line-number='1'></td><td class='blob-code'>let a = 1</td></tr><tr><td class='blob-num' data-line-number='2'></td><td class='blob-code'>let b = 2</td></tr></table>",
    "rows of code": "<table class='source'><tr><td class='lineno'>1</td><td><code>let a = 1</code></td></tr><tr><td class='lineno'>2</td><td><code>let b = 2</code></td></tr></table>",
    "Doxygen": "<div class='fragment'><div class='line'><a name='l1'></a><span class='lineno'>    1</span>let a = 1</div>\n<div class='line'><a name='l2'></a><span class='lineno'>    2</span>let b = 2</div></div>",
}


@pytest.mark.parametrize("name", NUMBERED)
def test_numbers_of_lines_are_no_code(name: str) -> None:
    answer = extract(page_of(NUMBERED[name]))
    assert [code for _, code in blocks_of(answer.markdown)] == [LINES]


@pytest.mark.parametrize(("part", "expected"), rows("code_in_sentences"))
def test_code_in_a_sentence(part: str, expected: str) -> None:
    assert expected in extract(page_of(part)).markdown


def test_blocks_beside_each_other_stay_apart() -> None:
    one = "<div class='language-js'><span class='lang'>js</span><pre><code>{}</code></pre></div>"
    answer = extract(page_of(one.format("let a = 1") + one.format("let b = 2")))
    assert blocks_of(answer.markdown) == [("js", "let a = 1"), ("js", "let b = 2")]


@pytest.mark.parametrize(
    "part",
    [
        "<div class='group/codeblock'><div><span>app.js</span></div><button>Copy</button><pre><code><span class='highlight-line'><span>let a = 1</span></span>\n<span class='highlight-line'><span>let b = 2</span></span></code></pre></div>",
        "<div class='notion-code'><div class='notion-code-copy'><div class='notion-code-copy-button'>Copy</div></div><pre class='notion-code'><code>{}</code></pre></div>",
        "<pre class='pe pf pg'><span id='d1' class='q4 nc'>let a = 1<br/>let b = 2</span></pre>",
        "<pre class='!overflow-visible'><div class='contain-inline-size'><div class='flex'>js</div><div class='sticky'><button>Copy code</button></div><div class='overflow-y-auto'><code>{}</code></div></div></pre>",
        "<div class='fragment'><div class='line'><a id='l1'></a><span class='lineno'>    1</span>let a = 1</div><div class='line'><span class='lineno'>    2</span>let b = 2</div></div>",
        "<div class='tabbed-set'><input type=radio><label>Copy</label><div class='tabbed-content'><div class='highlight'><pre><code>{}</code></pre></div></div></div>",
        "<p><span style='font-family:monospace'><code>let a = 1<br>let b = 2<br></code></span></p>",
    ],
)
def test_code_as_tools_write_it(part: str) -> None:
    answer = extract(page_of(part.replace("{}", LINES)))
    assert [code for _, code in blocks_of(answer.markdown)] == [LINES]
