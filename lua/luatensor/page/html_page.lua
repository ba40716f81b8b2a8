--- Makes an HTML page around blocks. Its style sheet covers light and dark screens, phones and paper. The page has no
-- scripts and loads nothing.

local html = require "luatensor.page.html"
local palette = require "luatensor.page.palette"

local page = {}

local CSS = [[
:root { color-scheme: light dark; LIGHT
  --strong: #14181f; --soft: #5a626e; --panel: #f5f7f9; --line: #d5dae1; --link: #1a4fb0; --note: #fdf4e3;
  --noteline: #b36b00; --shade: #0000002e; }
@media (prefers-color-scheme: dark) { :root { DARK
  --strong: #f1f4f8; --soft: #9aa4b1; --panel: #1b1f26; --line: #333a45; --link: #8ab8ff; --note: #2a2213;
  --noteline: #d99a32; --shade: #000000a8; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0 auto; max-width: 50rem; padding: 2rem 1.25rem 4rem; background: var(--paper); color: var(--text);
  font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif;
  overflow-wrap: break-word; }
h1, h2, h3, .title, figcaption, strong, th { color: var(--strong); }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 .25rem; letter-spacing: -.015em; text-wrap: balance; }
h2 { font-size: 1.4rem; line-height: 1.3; margin: 3.5rem 0 .75rem; padding-top: 1rem;
  border-top: 1px solid var(--line);
  letter-spacing: -.01em; }
h3 { font-size: 1.1rem; margin: 2.25rem 0 .5rem; }
p, ul, ol { margin: .75rem 0; max-width: 42rem; }
a { color: var(--link); text-underline-offset: .15em; }
code { font-family: ui-monospace, "SFMono-Regular", Menlo, Consolas, "Liberation Mono", monospace; font-size: .9em; }
data { white-space: nowrap; font-variant-numeric: tabular-nums; }
p > data, li > data, dd data { color: var(--strong); font-weight: 600; }
.note > data, p > data.count { font-weight: inherit; color: inherit; }
.lead { color: var(--soft); margin-top: 0; }
.source { font-size: .9rem; }
.source a { color: var(--soft); }
.note, .warning { background: var(--note); border-left: 3px solid var(--noteline); padding: .6rem .9rem;
  border-radius: 0 4px 4px 0; }
.warning { max-width: none; font-weight: 600; color: var(--strong); }
.summary { background: var(--panel); border: 1px solid var(--line); border-radius: 8px;
  padding: .25rem 1.25rem 1rem; margin: 1.75rem 0; }
.summary h2 { border: 0; margin: 1rem 0 .25rem; padding: 0; font-size: 1.15rem; }
.summary h3 { margin: 1.1rem 0 .1rem; font-size: .95rem; }
.summary p { margin: .15rem 0 .4rem; }
nav ul { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; font-size: .95rem; }
.scroll { overflow-x: auto; margin: 1rem 0 1.5rem; max-width: 100%;      /* a shadow where there is more to see */
  background: linear-gradient(to right, var(--paper) 1.5rem, transparent 3rem) left / 3rem 100% no-repeat local,
    linear-gradient(to left, var(--paper) 1.5rem, transparent 3rem) right / 3rem 100% no-repeat local,
    linear-gradient(to right, var(--shade), transparent) left / .8rem 100% no-repeat scroll,
    linear-gradient(to left, var(--shade), transparent) right / .8rem 100% no-repeat scroll; }
.scroll:focus-visible, summary:focus-visible, a:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
table { border-collapse: collapse; font-size: .92rem; line-height: 1.45; }
.title { font-weight: 600; font-size: .92rem; margin: 1.5rem 0 0; }
.title + .scroll { margin-top: .35rem; }
th, td { text-align: left; vertical-align: top; padding: .38rem .9rem .38rem 0;
  border-bottom: 1px solid var(--line); }
th:last-child, td:last-child { padding-right: 0; }
th { font-weight: 600; }
thead th { color: var(--soft); font-weight: 600; vertical-align: bottom; border-bottom: 1.5px solid var(--axis); }
tbody th { font-weight: 500; }
th.short { white-space: nowrap; }
th.number, td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
thead th.number { white-space: normal; }
tbody tr:hover > * { background: var(--panel); }
figure { margin: 1.75rem 0 2rem; }
figcaption { font-weight: 600; margin-bottom: .35rem; }
.drawing svg { display: block; width: 100%; height: auto; }
.drawing text { font-family: inherit; }
.drawing.narrow { display: none; }
.legend { list-style: none; padding: 0; margin: .25rem 0 .5rem; display: flex; flex-wrap: wrap; gap: .15rem 1.25rem;
  font-size: .92rem; }
.swatch { display: inline-block; width: 30px; height: 10px; margin-right: .5em; }
details { margin: .25rem 0; font-size: .95rem; }
summary { cursor: pointer; color: var(--soft); width: fit-content; }
pre { overflow-x: auto; background: var(--panel); padding: .75rem 1rem; border-radius: 6px; font-size: .85rem; }
footer { margin-top: 4rem; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--soft);
  font-size: .9rem; }
@media (max-width: 34rem) {
  body { padding: 1.25rem 1rem 3rem; } h1 { font-size: 1.6rem; } h2 { font-size: 1.25rem; margin-top: 2.5rem; }
  .summary { padding: .1rem 1rem .75rem; } .drawing.wide { display: none; } .drawing.narrow { display: block; }
}
@media print {
  :root { color-scheme: light; LIGHT
    --strong: #000; --soft: #444; --panel: #fff; --line: #bbb; --link: #000; --note: #fff; --noteline: #000; }
  @page { margin: 18mm 16mm; }
  html { font-size: 10pt; } body { max-width: none; padding: 0; line-height: 1.45; }
  nav, details { display: none; } .drawing.wide { display: block; } .drawing.narrow { display: none; }
  .drawing svg { max-width: 15cm; }
  .scroll { overflow: visible; background: none; } table { font-size: .88rem; } th, td { padding-right: .6rem; }
  data, th.number, td.number { white-space: normal; }
  h2 { margin-top: 2rem; } h2, h3, .title, figcaption { break-after: avoid; }
  figure, tr, .note { break-inside: avoid; }
}
]]

local function style_sheet()
  return (CSS:gsub("%u%u%u%u+", {LIGHT = palette.variables(1, " "), DARK = palette.variables(2, " ")}))
end

--- Makes a whole page.
-- @string title
-- @string body HTML
-- @treturn string
function page.new(title, body)
  return table.concat({
    "<!DOCTYPE html>", "<html lang=\"en\">", "<head>", "<meta charset=\"utf-8\">",
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">",
    ("<title>%s</title>"):format(html.escape(title)), "<style>", style_sheet() .. "</style>", "</head>", "<body>", body,
    "</body>", "</html>", "",
  }, "\n")
end

return page
