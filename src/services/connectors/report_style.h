// The style sheet of a report's page: system fonts, one column on a phone and two beside each other
// on a screen, colours of their own for light and dark that are told apart without red and green
// (the order of a stack and its legend say the same).
#pragma once

#include <string_view>

namespace jobforge::services {

inline constexpr std::string_view kReportStyle = R"(
:root { color-scheme: light dark; --page: #f4f6f9; --card: #ffffff; --ink: #18212f; --soft: #5d6b7e;
  --line: #e3e8ef; --track: #edf1f6; --bar: #3867d6; --p95: #f0932b; --spread: #b7c8f2;
  --succeeded: #2ba673; --failed: #e0534a; --dead: #8e44ad; --cancelled: #a3adbb;
    --running: #3d8bfd;
  --queued: #f2b134; }
@media (prefers-color-scheme: dark) {
  :root { --page: #0e131a; --card: #171e28; --ink: #e8edf4; --soft: #94a2b6; --line: #29323f;
    --track: #222b37; --bar: #6c93f5; --p95: #ffab4a; --spread: #34477a; --succeeded: #3fc08b;
    --failed: #f2706a; --dead: #b678d6; --cancelled: #7c8898; --running: #69a6ff;
    --queued: #f7c355; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); line-height: 1.45;
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  font-size: 15px; -webkit-text-size-adjust: 100%; }
main, header, footer { max-width: 1120px; margin: 0 auto; padding: 0 20px; }
header { padding-top: 36px; padding-bottom: 20px; }
h1 { font-size: 28px; line-height: 1.2; margin: 0 0 6px; letter-spacing: -0.02em;
  overflow-wrap: anywhere; }
h2 { font-size: 15px; margin: 0 0 10px; font-weight: 650; }
.kind { color: var(--bar); font-weight: 650; font-size: 13px; margin: 0 0 6px; }
.meta, .note { color: var(--soft); margin: 0; font-size: 13.5px; }
.note { margin: -8px 0 14px; }
.tiles { display: grid; gap: 12px; margin: 0; grid-template-columns: repeat(4, minmax(0, 1fr)); }
.tiles.of-5 { grid-template-columns: repeat(5, minmax(0, 1fr)); }
.tiles.of-6 { grid-template-columns: repeat(6, minmax(0, 1fr)); }
.card, .tile { background: var(--card); border: 1px solid var(--line); border-radius: 12px; }
.tile { padding: 14px 16px; }
.tile dt { color: var(--soft); font-size: 13px; margin: 0; }
.tile dd { margin: 2px 0 0; font-size: 24px; font-weight: 650; letter-spacing: -0.02em;
  font-variant-numeric: tabular-nums; }
.grid { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 16px;
    margin: 16px 0; }
.card { padding: 18px 20px; min-width: 0; }
.full { grid-column: 1 / -1; }
.stack { display: grid; gap: 16px; align-content: start; min-width: 0; }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: 4px 16px; margin: 0 0 12px;
    padding: 0;
  color: var(--soft); font-size: 13px; }
.legend svg { width: 10px; height: 10px; margin-right: 6px; }
.scroll { overflow-x: auto; }
svg.chart { display: block; width: 100%; height: auto; }
svg text { font-size: 12.5px; fill: var(--ink); font-variant-numeric: tabular-nums; }
svg .axis { fill: var(--soft); font-size: 12px; }
svg .value { fill: var(--soft); }
svg .label, svg .value { paint-order: stroke; stroke: var(--card); stroke-width: 5px; }
svg .end { text-anchor: end; }
svg .middle { text-anchor: middle; }
svg .grid { stroke: var(--line); }
svg .base { stroke: var(--soft); stroke-opacity: 0.6; }
.catch { fill: transparent; }
g:hover .catch { fill: var(--track); }
.track { fill: var(--track); }
.fill-bar, .fill-events, .fill-p50 { fill: var(--bar); }
.fill-p95 { fill: var(--p95); }
.fill-spread { fill: var(--spread); }
.fill-succeeded { fill: var(--succeeded); }
.fill-failed { fill: var(--failed); }
.fill-dead_letter { fill: var(--dead); }
.fill-cancelled, .fill-other { fill: var(--cancelled); }
.fill-running { fill: var(--running); }
.fill-queued { fill: var(--queued); }
table { border-collapse: collapse; width: 100%; font-size: 13.5px; }
th, td { text-align: left; padding: 7px 16px 7px 0; border-bottom: 1px solid var(--line);
  vertical-align: top; }
th { color: var(--soft); font-weight: 500; white-space: nowrap; }
tbody tr:last-child td { border-bottom: 0; }
td { overflow-wrap: break-word; max-width: 420px; }
td.wide { overflow-wrap: anywhere; min-width: 160px; }
td.time { white-space: nowrap; }
td.id { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 12px;
    white-space: nowrap; }
th.number, td.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
th:last-child, td:last-child { padding-right: 0; }
.facts td { border-bottom: 1px solid var(--line); }
.none { color: var(--soft); margin: 8px 0 0; }
summary { cursor: pointer; font-weight: 650; }
details[open] summary { margin-bottom: 10px; }
footer { color: var(--soft); font-size: 13px; padding-top: 6px; padding-bottom: 40px; }
@media (max-width: 760px) {
  main, header, footer { padding-left: 14px; padding-right: 14px; }
  header { padding-top: 24px; }
  h1 { font-size: 23px; }
  .grid { grid-template-columns: minmax(0, 1fr); gap: 12px; margin: 12px 0; }
  .tiles, .tiles.of-5, .tiles.of-6 { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 10px; }
  .tile dd { font-size: 21px; }
  .card { padding: 16px; }
  svg.wide { min-width: 680px; }
  svg text { font-size: 16px; }
  svg.wide text { font-size: 14px; }
}
@media print {
  body { background: none; }
  .card, .tile { break-inside: avoid; }
}
)";

}  // namespace jobforge::services
