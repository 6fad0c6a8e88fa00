"""How a page looks: two themes, phones, print."""

from __future__ import annotations

from ..pictures.base import DARK
from .html import COLOURS


def _colours(dark: bool) -> str:
    return ";".join(f"--{name}:{DARK[light] if dark else light}"
                    for light, name in COLOURS.items())


LIGHT = _colours(False) + ";--bg:#f6f8f9;--chip:#edf1f3"
NIGHT = _colours(True) + ";--bg:#12161a;--chip:#252c32"

RULES = """
*{box-sizing:border-box}
html{color-scheme:light dark;-webkit-text-size-adjust:100%}
body{margin:0;overflow-wrap:anywhere;background:var(--bg);color:var(--fg);
font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
main{max-width:1160px;margin:auto;padding:28px 24px 60px}
h1{font-size:24px;line-height:1.25;margin:0 0 4px;font-weight:650;
overflow-wrap:anywhere}
h2{font-size:17px;margin:0 0 4px;font-weight:640}
h3{font-size:14px;margin:16px 0 4px;font-weight:620}
p{margin:0 0 10px}.mut{color:var(--mut);font-size:13px}
.lead{max-width:76ch}
a{color:var(--blue)}
.skip{position:absolute;left:-999px}
.skip:focus{left:12px;top:8px;background:var(--card);padding:8px 12px;z-index:1}
:focus-visible{outline:3px solid var(--blue);outline-offset:2px;border-radius:4px}
.grid{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:18px;
margin-top:18px}
section{border:1px solid var(--line);border-radius:12px;padding:16px 18px;
background:var(--card);min-width:0}
.w{grid-column:1/-1}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(158px,1fr));
gap:12px;margin:18px 0 0;padding:0;list-style:none}
.tiles li{border:1px solid var(--line);border-radius:12px;padding:12px 14px;
background:var(--card);min-width:0}
.tiles b{display:block;font-size:22px;line-height:1.3;font-weight:650;
font-variant-numeric:tabular-nums}
.tiles span{color:var(--mut);font-size:13px;display:block}
.tiles .mark{color:var(--fg);font-size:13px;margin-top:4px}
.good::before{content:"\\2713  ";color:var(--teal);font-weight:700}
.bad::before{content:"\\2717  ";color:var(--red);font-weight:700}
.short{margin:0;padding-left:20px}.short li{margin:0 0 6px}
svg{display:block;max-width:100%;height:auto;margin:6px 0}
svg .axis,svg text{font-family:inherit}
.narrow{display:none}
.many{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(308px,100%),1fr));
gap:12px;margin-top:10px}
.many figure{margin:0;min-width:0}
figcaption{font-size:13px;font-weight:600;overflow-wrap:anywhere}
.scroll{overflow-x:auto;margin:6px 0;max-width:100%}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums;
font-size:14px}
th,td{padding:6px 10px 6px 0;text-align:left;border-bottom:1px solid var(--line);
font-weight:400;vertical-align:top}
thead th{color:var(--mut);font-size:12.5px;white-space:nowrap}
td.n,th.n{text-align:right;white-space:nowrap}
td{overflow-wrap:normal}td bdi{display:inline-block;min-width:118px;max-width:340px;
overflow-wrap:anywhere}
.why{min-width:220px}
.bar{display:flex;height:12px;border-radius:4px;overflow:hidden;
background:var(--line);min-width:120px;margin-bottom:4px}
.bar i{display:block;height:100%}
.b1{background:var(--red)}.b2{background:var(--blue)}.b3{background:var(--mut)}
.key span{white-space:nowrap;margin-right:14px}
.key i{display:inline-block;width:11px;height:11px;border-radius:3px;
margin-right:5px}
details{margin-top:8px;border-top:1px solid var(--line);padding-top:6px}
summary{cursor:pointer;color:var(--mut);font-size:13px;padding:4px 0}
.tag{background:var(--chip);border-radius:5px;padding:1px 7px;font-size:12.5px;
white-space:nowrap}
code{background:var(--chip);border-radius:5px;padding:1px 5px;font-size:13px;
overflow-wrap:anywhere}
pre{overflow-x:auto;background:var(--chip);border-radius:8px;padding:10px;
font-size:12.5px;margin:6px 0}
.leaves{display:none;list-style:none;margin:6px 0;padding:0}
.leaves li{margin:0 0 10px;font-size:13.5px}
.leaves .bar{position:relative;margin-top:3px}
@media(max-width:1180px){
.grid{grid-template-columns:minmax(0,1fr)}.w{grid-column:auto}
.full{display:none}.leaves{display:block}}
@media(max-width:620px){
main{padding:16px 10px 40px}
.grid{gap:12px}section{padding:14px 14px}
.tiles{grid-template-columns:repeat(2,minmax(0,1fr));gap:8px}
.tiles li{padding:10px 12px}.tiles b{font-size:18px}
.wide{display:none}.narrow{display:block}td bdi{min-width:150px}
.why{min-width:180px}}
@media print{
body{background:#fff}main{max-width:none;padding:0}
section,.tiles li,.many figure,tr{break-inside:avoid}
.grid{display:block}section{margin:0 0 12px}
.skip,summary{display:none}.scroll{overflow:visible}
a{color:inherit;text-decoration:none}}
"""


def sheet() -> str:
    """The whole of it. Print is light whatever the screen is."""
    return (f":root{{{LIGHT}}}@media(prefers-color-scheme:dark){{"
            f":root{{{NIGHT}}}}}@media print{{:root{{{LIGHT}}}}}"
            + RULES.replace("\n", ""))
