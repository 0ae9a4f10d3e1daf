// The style of printed reports: system fonts, light and dark, one column, A4 and Letter. Text colours reach 4.5:1 on both grounds.
export const REPORT_STYLE = `
:root{color-scheme:light dark;--ground:#fff;--card:#fff;--ink:#1c1e21;--soft:#5b6169;--line:#d9dde2;--del:#b3261e;--delg:#fdeceb;--ins:#0b57d0;--insg:#e9f0fd;--move:#146c2e;--moveg:#e8f5ea;--high:#b3261e;--medium:#8a5300;--low:#4a5260}
@media (prefers-color-scheme:dark){:root{--ground:#16181b;--card:#1d2024;--ink:#e6e8ea;--soft:#a3abb5;--line:#363b42;--del:#ff9d94;--delg:#3a1f1d;--ins:#9cc2ff;--insg:#1a2a45;--move:#86d997;--moveg:#1a3221;--high:#ff9d94;--medium:#f2bf6c;--low:#b4bcc6}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,"Noto Sans CJK SC","PingFang SC","Microsoft YaHei",sans-serif}
main{max-width:54rem;margin:0 auto;padding:2.5rem 1.25rem 4rem}
.brand{margin:0;color:var(--soft);font-size:.8rem;letter-spacing:.06em;text-transform:uppercase}
h1{margin:.4rem 0 1rem;font-size:1.5rem;line-height:1.3;font-weight:600;overflow-wrap:anywhere}
.arrow{color:var(--soft);font-weight:400}
.counts,.topics{display:flex;flex-wrap:wrap;gap:.4rem;margin:.5rem 0;padding:0;list-style:none}
.counts li{padding:.15rem .6rem;border:1px solid var(--line);border-radius:1rem;font-size:.85rem}
.legend{margin:1rem 0 1.5rem;padding-bottom:1.25rem;border-bottom:1px solid var(--line);color:var(--soft);font-size:.85rem}
.legend>*{margin-right:.75rem}
del{color:var(--del);background:var(--delg);text-decoration:line-through;text-decoration-thickness:.08em}
ins{color:var(--ins);background:var(--insg);text-decoration:underline;text-underline-offset:.15em}
.legend .moved,.text.moved{color:var(--move);background:var(--moveg)}
.legend .moved{text-decoration:underline double;text-underline-offset:.15em}
details{margin:0 0 2rem}
summary{cursor:pointer;font-weight:600}
table{width:100%;margin-top:.75rem;border-collapse:collapse;font-size:.875rem}
th,td{padding:.35rem .6rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
th{color:var(--soft);font-weight:600}
td.n{width:3rem}
td[class^=k-]{white-space:nowrap}
a{color:var(--ins)}
article{margin:0 0 1rem;padding:1rem 1.25rem;border:1px solid var(--line);border-left:.25rem solid var(--line);border-radius:.4rem;background:var(--card)}
article.k-inserted{border-left-color:var(--ins)}article.k-deleted{border-left-color:var(--del)}article.k-moved,article.k-movedChanged,article.k-merged,article.k-split{border-left-color:var(--move)}
h2{margin:0;font-size:1.02rem;line-height:1.4;font-weight:600;overflow-wrap:anywhere}
h2 .n{margin-right:.35rem;color:var(--soft);font-weight:400;font-variant-numeric:tabular-nums}
.meta{display:flex;gap:.75rem;margin:.3rem 0;font-size:.85rem;color:var(--soft)}
.severity,.s-high,.s-medium,.s-low{font-weight:600}
.s-high{color:var(--high)}.s-medium{color:var(--medium)}.s-low{color:var(--low)}
.k-inserted .kind,td.k-inserted{color:var(--ins)}.k-deleted .kind,td.k-deleted{color:var(--del)}.k-moved .kind,.k-movedChanged .kind,.k-merged .kind,.k-split .kind,td.k-moved,td.k-movedChanged,td.k-merged,td.k-split{color:var(--move)}
.topics li{padding:0 .5rem;border-radius:.25rem;background:var(--line);font-size:.78rem}
.reason{margin:.35rem 0 .6rem;font-size:.9rem}
.text{padding:.1rem .9rem;border:1px solid var(--line);border-radius:.3rem;font-family:"Source Serif 4",Georgia,Cambria,"Times New Roman","Noto Serif CJK SC","Songti SC",SimSun,serif;overflow-wrap:anywhere}
.text p{margin:.6rem 0}
.none{padding:1.5rem;border:1px solid var(--line);border-radius:.4rem}
.note{margin:.5rem 0 1rem;padding:.5rem .75rem;border-left:.25rem solid var(--medium);font-size:.9rem}
article.k-rename,article.k-references,article.k-renumbering{border-left-color:var(--soft)}
.places{margin:.5rem 0 0}.places summary{font-weight:400;font-size:.9rem}.places ul{margin:.5rem 0 0;padding:0;list-style:none}.places li{margin:0 0 .6rem}.places .place{font-size:.85rem;color:var(--soft)}
.wide main{max-width:96rem}
.scroll{overflow-x:auto}
.overview{font-size:.82rem}.overview th[scope=row]{color:var(--ink);font-weight:400}.overview a{text-decoration:none}.overview a:hover{text-decoration:underline}.overview thead th{position:sticky;top:0;background:var(--ground)}
.l-0{font-weight:600!important}.l-1{padding-left:1.6rem}.l-2{padding-left:2.6rem}.l-3{padding-left:3.6rem}
.overview td{white-space:nowrap}.d-missing{color:var(--del)}.d-edited,.d-own{color:var(--medium)}.d-extra{color:var(--ins)}.d-baseline,.d-same{color:var(--soft)}.overview td.s-high{font-weight:700}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.row{margin:2rem 0 0;padding-top:1rem;border-top:1px solid var(--line)}.row h2{margin-bottom:.75rem;font-size:1.15rem}
.cells{display:grid;grid-template-columns:repeat(auto-fit,minmax(17rem,1fr));gap:.75rem;align-items:start}
.cell{margin:0;padding:.75rem .9rem;color:var(--ink)}.cell h3{margin:0;font-size:.85rem;font-weight:600;color:var(--soft);overflow-wrap:anywhere}.cell .meta{flex-wrap:wrap}
.cell.d-missing{border-style:dashed;background:none}.cell.d-missing .deviation{color:var(--del)}.cell.d-edited .deviation,.cell.d-own .deviation{color:var(--medium)}.deviation{font-weight:600}
.cell .text{font-size:.92rem;line-height:1.5}
footer{margin-top:2.5rem;padding-top:1rem;border-top:1px solid var(--line);color:var(--soft);font-size:.75rem}
footer p{margin:.2rem 0;overflow-wrap:anywhere}
@media print{:root{color-scheme:light;--ground:#fff;--card:#fff;--ink:#000;--soft:#444;--line:#bbb;--del:#a3160f;--delg:#fff;--ins:#0a3fa8;--insg:#fff;--move:#0f5523;--moveg:#fff;--high:#a3160f;--medium:#6b4000;--low:#333}body{font-size:10.5pt}main{max-width:none;padding:0}summary{list-style:none}a{color:inherit;text-decoration:none}article,.text{-webkit-box-decoration-break:clone;box-decoration-break:clone}h2,h3,.meta,.topics,.reason{break-after:avoid}p{orphans:3;widows:3}@page{margin:18mm 16mm}.cells{grid-template-columns:repeat(auto-fit,minmax(7.2cm,1fr))}.overview thead th{position:static}.places:not([open])>:not(summary){display:none}}
`;
