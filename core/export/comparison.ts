// A comparison as Markdown and as one self-contained HTML page that can be read, printed and sent.
//
// Owns: the wording and the order of the report. Legal convention: deleted red and struck, inserted blue and underlined, moved green; a glyph
// says the same without colour. Every text of a document is escaped; the page holds no script and loads nothing.
import type { Change, Comparison } from '../contract/comparison.ts';
import { escapeHtml, escapeMarkdown } from './escape.ts';
import { changePlace, KIND_LABELS, placeLabel, TOPIC_LABELS } from './labels.ts';
import { REPORT_STYLE } from './reportStyle.ts';

/** What a report needs to know of a document. */
export interface ReportDocument {
  readonly id: string;
  readonly name: string;
}

const SEVERITIES = ['high', 'medium', 'low'] as const;

function countsLine(comparison: Comparison): string {
  const parts = Object.entries(comparison.counts)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${count} ${KIND_LABELS[kind as Change['kind']].plural}`);
  return parts.length === 0 ? 'No differences' : parts.join(', ');
}

function severityCounts(comparison: Comparison): Record<(typeof SEVERITIES)[number], number> {
  const of = (severity: Change['severity']): number => comparison.changes.filter((change) => change.severity === severity).length;
  return { high: of('high'), medium: of('medium'), low: of('low') };
}

export function comparisonMarkdown(comparison: Comparison, before: ReportDocument, after: ReportDocument): string {
  const severity = severityCounts(comparison);
  const lines = [
    `# ${escapeMarkdown(before.name)} → ${escapeMarkdown(after.name)}`,
    '',
    `${countsLine(comparison)}. ${comparison.unchangedClauses} clauses are unchanged.`,
    ...(comparison.changes.length === 0
      ? []
      : ['', `Severity: ${severity.high} high, ${severity.medium} medium, ${severity.low} low. Deleted text is ~~struck~~, inserted text is **bold**.`]),
  ];
  for (const change of comparison.changes) {
    const { glyph, label } = KIND_LABELS[change.kind];
    lines.push('', `## ${glyph} ${label}: ${escapeMarkdown(changePlace(change))}`, '', `*${change.severity}* ${escapeMarkdown(change.reason)}`);
    const body = markdownBody(change);
    if (body !== '') lines.push('', `> ${body}`);
  }
  return `${lines.join('\n')}\n`;
}

function markdownBody(change: Change): string {
  if (change.diff.length === 0) return change.kind === 'renumbered' ? '' : escapeMarkdown(change.after?.text ?? change.before?.text ?? '');
  return change.diff
    .map((part) => {
      const [, lead, text, tail] = /^(\s*)([\s\S]*?)(\s*)$/.exec(part.text)!;
      if (text === '' || part.op === 'equal') return `${lead === '' ? '' : ' '}${escapeMarkdown(text!)}${tail === '' ? '' : ' '}`;
      const mark = part.op === 'insert' ? '**' : '~~';
      return `${lead === '' ? '' : ' '}${mark}${escapeMarkdown(text!)}${mark}${tail === '' ? '' : ' '}`;
    })
    .join('');
}

export function comparisonHtml(comparison: Comparison, before: ReportDocument, after: ReportDocument): string {
  const title = `${before.name} compared with ${after.name}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeHtml(title)}</title>
<style>${REPORT_STYLE}</style>
</head>
<body>
<main>
<header>
<p class="brand">Codicil · Comparison report</p>
<h1><span class="from">${escapeHtml(before.name)}</span> <span class="arrow" aria-label="compared with">→</span> <span class="to">${escapeHtml(after.name)}</span></h1>
${summaryHtml(comparison)}
<p class="legend"><span>Legend</span> <del>deleted</del> <ins>inserted</ins> <span class="moved">⇄ moved</span></p>
</header>
${comparison.changes.length === 0 ? `<p class="none">${Object.values(comparison.counts).some((count) => count > 0) ? 'No change of the chosen severity.' : 'The documents say the same. Differences of layout, spacing and typography are not reported.'}</p>` : `${indexHtml(comparison)}\n<section aria-label="Changes">\n${comparison.changes.map(changeHtml).join('\n')}\n</section>`}
<footer><p>Older document: ${escapeHtml(before.name)} <code>${escapeHtml(before.id)}</code></p><p>Newer document: ${escapeHtml(after.name)} <code>${escapeHtml(after.id)}</code></p></footer>
</main>
</body>
</html>
`;
}

function summaryHtml(comparison: Comparison): string {
  const severity = severityCounts(comparison);
  const kinds = Object.entries(comparison.counts)
    .filter(([, count]) => count > 0)
    .map(
      ([kind, count]) =>
        `<li class="k-${kind}"><b>${count}</b> <span aria-hidden="true">${KIND_LABELS[kind as Change['kind']].glyph}</span> ${KIND_LABELS[kind as Change['kind']].plural}</li>`,
    );
  const severities = SEVERITIES.filter((name) => severity[name] > 0).map((name) => `<li class="s-${name}"><b>${severity[name]}</b> ${name} severity</li>`);
  return `<ul class="counts">${kinds.join('')}<li><b>${comparison.unchangedClauses}</b> clauses unchanged</li></ul>${severities.length === 0 ? '' : `<ul class="counts severities">${severities.join('')}</ul>`}`;
}

function indexHtml(comparison: Comparison): string {
  const rows = comparison.changes.map(
    (change, index) =>
      `<tr><td class="n"><a href="#${escapeHtml(change.id)}">${index + 1}</a></td><td class="k-${change.kind}"><span aria-hidden="true">${KIND_LABELS[change.kind].glyph}</span> ${KIND_LABELS[change.kind].label}</td><td>${escapeHtml(changePlace(change))}</td><td class="s-${change.severity}">${change.severity}</td></tr>`,
  );
  return `<details open><summary>All changes</summary><table><thead><tr><th>No.</th><th>Change</th><th>Clause</th><th>Severity</th></tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table></details>`;
}

function changeHtml(change: Change, index: number): string {
  const { glyph, label } = KIND_LABELS[change.kind];
  const topics = change.topics.map((topic) => `<li>${TOPIC_LABELS[topic]}</li>`).join('');
  const places =
    change.before !== null && change.after !== null && placeLabel(change.before) !== placeLabel(change.after)
      ? `<span>${escapeHtml(placeLabel(change.before))}</span> <span class="arrow" aria-label="to">→</span> <span>${escapeHtml(placeLabel(change.after))}</span>`
      : escapeHtml(changePlace(change));
  const body =
    change.diff.length > 0
      ? diffHtml(change)
      : change.kind === 'renumbered'
        ? ''
        : `<div class="text moved">${paragraphs(change.after?.text ?? change.before?.text ?? '')}</div>`;
  return `<article id="${escapeHtml(change.id)}" class="k-${change.kind}"><h2><span class="n">${index + 1}</span> ${places}</h2><p class="meta"><span class="kind"><span aria-hidden="true">${glyph}</span> ${label}</span> <span class="severity s-${change.severity}">${change.severity}</span></p>${topics === '' ? '' : `<ul class="topics" aria-label="Concerns">${topics}</ul>`}<p class="reason">${escapeHtml(change.reason)}</p>${body}</article>`;
}

function paragraphs(text: string): string {
  return text
    .split('\n')
    .map((line) => `<p>${escapeHtml(line)}</p>`)
    .join('');
}

function diffHtml(change: Change): string {
  const parts = change.diff.map((part) => {
    const text = escapeHtml(part.text).replaceAll('\n', '<br>');
    return part.op === 'equal' ? text : part.op === 'insert' ? `<ins>${text}</ins>` : `<del>${text}</del>`;
  });
  return `<div class="text"><p>${parts.join('')}</p></div>`;
}
