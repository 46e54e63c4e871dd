"""Function words of languages that put spaces between words, and function characters of others."""

from __future__ import annotations

# Articles, pronouns, prepositions, conjunctions and auxiliaries: what running text is full of and
# menus are not. Lower case; words are runs of letters, so "don't" is two.
_BY_LANGUAGE = {
    "ar": (
        "في من على إلى عن أن إن التي الذي هذا هذه ذلك كان كانت مع لا ما هو هي أو ثم بعد قبل "
        "كل بين لم قد"
    ),
    "bg": ("и на от за да се по е че не като до при са но ще който беше това след или има във със"),
    "ca": "el la els les de del i a en un una que és per amb no es al dels com més o va ha són",
    "cs": (
        "a v na je se že s z do o k i to jako za by ale pro jsou byl byla které který po od při tak"
    ),
    "da": (
        "og i at er en et den det de der som på til af med for ikke har var han jeg vi fra "
        "kan om men"
    ),
    "de": (
        "der die das und in den von zu mit sich des auf für ist im dem nicht ein eine als "
        "auch es an er hat aus bei nach wie sind war wird noch oder einen einem einer wir ich "
        "aber um über so dass"
    ),
    "el": (
        "και το να του η της με που την από για είναι των τα οι στο σε ο θα δεν τον τη στην μας σας"
    ),
    "en": (
        "the of and to a in is that for it on with as was be by are this an at from or have "
        "not he but they his which you we their has were been its had one all can there if "
        "more when will would who so no she her them these than then into some what about up "
        "out do my your our i also other"
    ),
    "es": (
        "de la que el en y a los se del las un por con no una su para es al lo como más o "
        "pero sus le ha me si sin sobre este ya entre cuando todo esta ser son también fue "
        "había muy hasta desde"
    ),
    "et": "ja on ei see et kui oli ta ka mis ning või aga oma seda nii ma siis kes pole olid",
    "fa": "و در به از که این را با است برای آن یک خود تا بر هم نیز شده می بود اما یا",
    "fi": (
        "ja on ei että se oli hän mutta kun myös ovat niin tai joka ole sen mukaan kuin jos voi jo"
    ),
    "fr": (
        "de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se "
        "ce il sont avec ou aux son cette d l s n qu mais comme nous vous je été sa ses leur "
        "ont elle on tout même si"
    ),
    "he": "של את על לא הוא היא זה עם כי או גם אם אני יש כל היה מה אל אבל רק הם כמו עד אך",
    "hi": "के में की है और से को का पर यह कि एक हैं भी ने था जो नहीं तो इस लिए कर या हो",
    "hr": (
        "i u je na se da za od su s a o što kao koji koja ali bi ili te do iz po nije sam biti još"
    ),
    "hu": (
        "a az és hogy nem is egy ez meg van de ha csak volt már mint kell még vagy el ki azt lehet"
    ),
    "id": (
        "yang dan di dengan untuk pada dari ini itu dalam tidak ke adalah akan juga oleh atau "
        "saya ada"
    ),
    "it": (
        "di e il la che in un a per è una non del si con i da le dei al come della nel ha più "
        "sono o lo gli alla ma delle anche dal se su questo cui nella era suo ci mi essere "
        "stato"
    ),
    "ko": "이 그 저 것 수 및 등 더 는 은 를 을 에 의 가 와 과 도",
    "lt": "ir kad į iš yra su tai buvo ne bet kaip ar jis už po nuo jo tik dar",
    "lv": "un ir ar no par ka uz kas bet kā tas tā nav vai pie lai bija arī",
    "nl": (
        "de het een en van in is dat op te zijn met voor niet aan er om ook als maar bij of "
        "uit nog naar dan door wordt hij ze je we ik dit die werd heeft over worden kan meer "
        "was"
    ),
    "no": (
        "og i er det som på en av til at for med de ikke har var jeg den et om han kan men "
        "fra vi så"
    ),
    "pl": (
        "i w na z do się nie to że jest o jak ale po co od za przez który która które czy dla "
        "oraz są był było tym tego tak jego może być już tylko"
    ),
    "pt": (
        "de a o que e do da em um para com não uma os no se na por mais as dos como mas ao "
        "ele das à seu sua ou quando muito nos já também só pelo pela até isso foi são ser "
        "está"
    ),
    "ro": (
        "de și în a la cu că nu o pe este care din un mai pentru sunt ce să se au fost sau dar prin"
    ),
    "ru": (
        "и в не на что с он как это по но из у за к от то для о все его так же вы мы был была "
        "были или бы если уже только я она они при до когда еще ли во со чтобы"
    ),
    "sk": (
        "a v na je sa že s z do o k aj to ako za by ale pre sú bol bola ktoré ktorý po od pri tak"
    ),
    "sl": "in je v na se da za so s z ki ne po pa bi tudi kot od ali pri še bil",
    "sr": "и је у на се да за од су са о што као који која али би или до из по није",
    "sv": (
        "och i att det som en på är av för med den till inte har om ett var de jag men han vi "
        "så kan från eller vid när nu också sig"
    ),
    "tr": (
        "ve bir bu da de için ile o çok olarak daha gibi olan en kadar ne var sonra ama ki ya değil"
    ),
    "uk": (
        "і в не на що з та у до як за це він але для від про його або ми ви був була були так є"
    ),
    "vi": (
        "và của là có cho không được trong một với các này người đã những để khi từ đến tôi như ở"
    ),
}

STOP_WORDS = frozenset(word for words in _BY_LANGUAGE.values() for word in words.split())
"""The words of all languages together."""

STOP_CHARACTERS = "的了是在和有不我他她这這就也都们們为為于於与與之其而及并但或のはをがにでとへも"
"""Characters that are function words of Chinese or particles of Japanese."""
