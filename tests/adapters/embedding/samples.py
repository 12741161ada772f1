"""Texts of many kinds for comparisons with the reference."""

SAMPLES = [
    "How do I set up the VPN on a new laptop?",
    "Wie beantrage ich Urlaub, und wer genehmigt ihn? Größe, Straße, Übermaß.",
    "def f(x: int) -> dict[str, list[int]]:\n\treturn {'a': [x ** 2 for _ in range(3)]}  # comment",
    "SELECT id, COUNT(*) FROM pages WHERE space = 'OPS' GROUP BY 1 HAVING COUNT(*) > 10;",
    "https://wiki.example.org/display/OPS/Run+book?pageId=123456#section-2",
    "👍 shipped 🚀, thanks 👩‍💻!",
    "איך מגדירים VPN? 123",
    "كيف أطلب إجازة؟",
    "休暇の申請方法を教えてください。",
    "如何在新电脑上配置VPN？",
    "ﬁle № ½ ㎏ ＦＵＬＬ ｗｉｄｔｈ Å — “quotes” … ™",
    "Spaces   in \t runs \r\n and\u00a0hard\u2009ones  ",
    " leading space",
    "",
    "▁ <s> </s> <unk> <mask>",
    "𒀀𒀁 𓂀 unknown signs 𒀂",
    "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen",
    "| Name | Port |\n|---|---|\n| Build | 8443 |",
]
