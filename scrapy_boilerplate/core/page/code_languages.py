"""Names of the languages of code, as highlighters of code and their labels spell them."""

from __future__ import annotations

LANGUAGES = frozenset(
    "abap abnf actionscript ada adoc agda ahk antlr apache apacheconf apex apl applescript "
    "arduino armasm asciidoc asm aspectj assembly astro atom autohotkey awk bash bat batch "
    "batchfile bibtex bicep bison blade bnf brainfuck c c# c++ c++11 c++17 c++20 caddyfile clj "
    "cljs clojure cmake cobol coffee coffeescript conf console cpp crystal cs csh csharp cshtml "
    "css csv cu cuda cypher cython d dart delphi diff django docker dockerfile dos dotenv ebnf "
    "ejs elisp elixir elm emacs-lisp erb erl erlang ex f# f90 fish fortran fsharp gawk gdscript "
    "gherkin git gitignore glsl gnuplot go golang gql gradle graphql groovy haml handlebars "
    "haskell haxe hbs hcl hlsl hs htm html html+django html+jinja html+php htmlbars http ini "
    "ipython ipython3 jade java javascript jinja jinja2 jl js json json5 jsonc jsonl jsonnet "
    "jsx julia kotlin kt kts latex ledger lhs lisp llvm lua makefile markdown markup "
    "mathematica matlab md mdx mermaid mips mojo mysql nasm nginx nim nix nsis objc objective-c "
    "objectivec ocaml octave odin opencl openscad pascal patch pcre perl pgsql php php-template "
    "pikchr plantuml plpgsql plsql postcss postgres postgresql postscript powershell prisma "
    "prolog properties proto protobuf ps1 psql pug puppet purescript pwsh py py3 pycon pytb "
    "python python-console python-repl python2 python3 qml r racket raku rb reasonml regex rego "
    "rescript rest restructuredtext rs rst ruby rust sas sass scala scheme scss sh shell "
    "shell-session shellsession smalltalk sml solidity sparql sql sqlite ssh-config stan stata "
    "stylus svelte svg swift systemd systemverilog tcl tcsh terraform tex tf toml traceback ts "
    "tsql tsx turtle twig typescript typst v vala vb vba vbnet vbscript verilog vhdl vim viml "
    "vimscript visual-basic vue vue-html wasm wat wgsl wolfram xhtml xml xquery xsl xslt yaml "
    "yml zig zsh".split()
)
"""Names in lower case."""

NO_LANGUAGES = frozenset(
    "none plain plaintext plain-text text txt nohighlight no-highlight default auto guess unknown "
    "undefined raw code nolang".split()
)
"""What highlighters call text without a language."""
