// A comparison as Markdown and as one self-contained HTML page that can be read, printed and sent.
//
// Owns: the wording and the order of the report. Legal convention: deleted red and struck, inserted blue and underlined, moved green; a glyph
// says the same without colour. Every text of a document is escaped; the page holds no script and loads nothing.
import { entriesOf, type Change, type ChangeGroup, type Comparison, type DiffPart } from '../contract/comparison.ts';
import { escapeHtml, escapeMarkdown } from './escape.ts';
import { changePlace, GROUP_LABELS, KIND_LABELS, placeLabel, TOPIC_LABELS } from './labels.ts';
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
  for (const note of comparison.notes) lines.push('', `*${escapeMarkdown(note)}*`);
  for (const entry of entriesOf(comparison)) lines.push(...('change' in entry ? changeMarkdown(entry.change) : groupMarkdown(entry.group, entry.changes)));
  return `${lines.join('\n')}\n`;
}

function changeMarkdown(change: Change): string[] {
  const { glyph, label } = KIND_LABELS[change.kind];
  const body = markdownBody(change);
  return [
    '',
    `## ${glyph} ${label}: ${escapeMarkdown(changePlace(change))}`,
    '',
    `*${change.severity}* ${escapeMarkdown(change.reason)}`,
    ...(body === '' ? [] : ['', `> ${body}`]),
  ];
}

function groupMarkdown(group: ChangeGroup, changes: readonly Change[]): string[] {
  const { glyph, label } = GROUP_LABELS[group.kind];
  const name = group.kind === 'references' ? '' : `: ~~${escapeMarkdown(group.before)}~~ **${escapeMarkdown(group.after)}**`;
  const places = changes.map((change) => escapeMarkdown(changePlace(change))).join('; ');
  return ['', `## ${glyph} ${label}${name}`, '', `*${group.severity}* ${escapeMarkdown(group.reason)}`, '', `In ${places}.`];
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

/** A page that stands alone: its style within, no script, nothing loaded. `body` is HTML. */
export function page(title: string, body: string, layout: 'narrow' | 'wide'): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeHtml(title)}</title>
<style>${REPORT_STYLE}</style>
</head>
<body class="${layout}">
<main>
${body}
</main>
</body>
</html>
`;
}

export function comparisonHtml(comparison: Comparison, before: ReportDocument, after: ReportDocument): string {
  const nothing = Object.values(comparison.counts).some((count) => count > 0)
    ? 'No change of the chosen severity.'
    : 'The documents say the same. Differences of layout, spacing and typography are not reported.';
  const body = `<header>
<p class="brand">Codicil · Comparison report</p>
<h1><span class="from">${escapeHtml(before.name)}</span> <span class="arrow" aria-label="compared with">→</span> <span class="to">${escapeHtml(after.name)}</span></h1>
${summaryHtml(comparison)}
<p class="legend"><span>Legend</span> <del>deleted</del> <ins>inserted</ins> <span class="moved">⇄ moved</span></p>
${comparison.notes.map((note) => `<p class="note">${escapeHtml(note)}</p>`).join('\n')}
</header>
${comparison.changes.length === 0 ? `<p class="none">${nothing}</p>` : `${indexHtml(comparison)}\n<section aria-label="Changes">\n${articlesHtml(comparison)}\n</section>`}
<footer><p>Older document: ${escapeHtml(before.name)} <code>${escapeHtml(before.id)}</code></p><p>Newer document: ${escapeHtml(after.name)} <code>${escapeHtml(after.id)}</code></p></footer>`;
  return page(`${before.name} compared with ${after.name}`, body, 'narrow');
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
  const rows = entriesOf(comparison).map((entry, index) => {
    const { id, severity } = 'change' in entry ? entry.change : entry.group;
    const { glyph, label } = 'change' in entry ? KIND_LABELS[entry.change.kind] : GROUP_LABELS[entry.group.kind];
    const kind = 'change' in entry ? entry.change.kind : entry.group.kind;
    const place = 'change' in entry ? escapeHtml(changePlace(entry.change)) : groupTitle(entry.group);
    return `<tr><td class="n"><a href="#${escapeHtml(id)}">${index + 1}</a></td><td class="k-${kind}"><span aria-hidden="true">${glyph}</span> ${label}</td><td>${place}</td><td class="s-${severity}">${severity}</td></tr>`;
  });
  return `<details open><summary>All changes</summary><table><thead><tr><th>No.</th><th>Change</th><th>Clause</th><th>Severity</th></tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table></details>`;
}

function articlesHtml(comparison: Comparison): string {
  return entriesOf(comparison)
    .map((entry, index) => ('change' in entry ? changeHtml(entry.change, index) : groupHtml(entry.group, entry.changes, index)))
    .join('\n');
}

function groupTitle({ kind, before, after, places }: ChangeGroup): string {
  if (kind === 'references') return `${places} ${places === 1 ? 'reference' : 'references'}`;
  return `<del>${escapeHtml(before)}</del> <ins>${escapeHtml(after)}</ins>`;
}

/** One finding; its places stand below it, each with its words, for whoever wants to see them. */
function groupHtml(group: ChangeGroup, changes: readonly Change[], index: number): string {
  const { glyph, label } = GROUP_LABELS[group.kind];
  const places = changes.map(
    (change) =>
      `<li id="${escapeHtml(change.id)}"><span class="place">${escapeHtml(changePlace(change))}</span>${change.diff.length > 0 ? diffHtml(change.diff) : ''}</li>`,
  );
  return `<article id="${escapeHtml(group.id)}" class="k-${group.kind}"><h2><span class="n">${index + 1}</span> ${groupTitle(group)}</h2><p class="meta"><span class="kind"><span aria-hidden="true">${glyph}</span> ${label}</span> <span class="severity s-${group.severity}">${group.severity}</span></p><p class="reason">${escapeHtml(group.reason)}</p><details class="places"><summary>${changes.length} ${changes.length === 1 ? 'clause' : 'clauses'}</summary><ul>${places.join('')}</ul></details></article>`;
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
      ? diffHtml(change.diff)
      : change.kind === 'renumbered'
        ? ''
        : `<div class="text moved">${paragraphs(change.after?.text ?? change.before?.text ?? '')}</div>`;
  return `<article id="${escapeHtml(change.id)}" class="k-${change.kind}"><h2><span class="n">${index + 1}</span> ${places}</h2><p class="meta"><span class="kind"><span aria-hidden="true">${glyph}</span> ${label}</span> <span class="severity s-${change.severity}">${change.severity}</span></p>${topics === '' ? '' : `<ul class="topics" aria-label="Concerns">${topics}</ul>`}<p class="reason">${escapeHtml(change.reason)}</p>${body}</article>`;
}

export function paragraphs(text: string): string {
  return text
    .split('\n')
    .map((line) => `<p>${escapeHtml(line)}</p>`)
    .join('');
}

/** A word diff as HTML. */
export function diffParts(diff: readonly DiffPart[]): string {
  return diff
    .map((part) => {
      // White space beside the words stays outside the marks: a struck space reads as a dash.
      const [, lead, words, tail] = /^(\s*)([\s\S]*?)(\s*)$/.exec(part.text) as unknown as [string, string, string, string];
      const text = escapeHtml(words).replaceAll('\n', '<br>');
      const marked = part.op === 'equal' || text === '' ? text : part.op === 'insert' ? `<ins>${text}</ins>` : `<del>${text}</del>`;
      return `${lead.replaceAll('\n', '<br>')}${marked}${tail.replaceAll('\n', '<br>')}`;
    })
    .join('');
}

function diffHtml(diff: readonly DiffPart[]): string {
  return `<div class="text"><p>${diffParts(diff)}</p></div>`;
}
