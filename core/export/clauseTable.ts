// The same clause in every contract as one self-contained HTML page: an overview, then each clause with all contracts side by side.
//
// Owns: the form of that report. Words that differ from the baseline carry the marks of the comparison report (comparison.ts); what a cell is stands
// in words and a glyph, never in colour alone. Every text of a document is escaped; the page holds no script and loads nothing.
import type { ClauseCell, ClauseRow, ClauseTable } from '../contract/clauseTable.ts';
import { diffParts, page, paragraphs } from './comparison.ts';
import { escapeHtml } from './escape.ts';
import { TOPIC_LABELS } from './labels.ts';

export const DEVIATION_LABELS: Record<ClauseCell['deviation'] | 'missing', { readonly glyph: string; readonly label: string }> = {
  baseline: { glyph: '◆', label: 'baseline' },
  same: { glyph: '=', label: 'same words' },
  edited: { glyph: '±', label: 'edited' },
  own: { glyph: '≠', label: 'own wording' },
  extra: { glyph: '+', label: 'not in the baseline' },
  missing: { glyph: '∅', label: 'missing' },
};

const deviationOf = (cell: ClauseCell | null): keyof typeof DEVIATION_LABELS => cell?.deviation ?? 'missing';

export function clauseTableHtml(table: ClauseTable): string {
  const baseline = table.documents.find(({ id }) => id === table.baselineId)!;
  const title = `${table.documents.length} contracts, clause by clause`;
  const body = `<header>
<p class="brand">Codicil · Clause comparison</p>
<h1>${escapeHtml(title)}</h1>
<p>Baseline: <b>${escapeHtml(baseline.name)}</b>. Clauses are matched by heading, matter and wording, not by number.</p>
<p class="legend"><span>Legend</span> ${Object.values(DEVIATION_LABELS)
    .map(({ glyph, label }) => `<span><b aria-hidden="true">${glyph}</b> ${label}</span>`)
    .join(' ')} <del>only in the baseline</del> <ins>only here</ins></p>
</header>
${table.rows.length === 0 ? '<p class="none">No clause was found by that name in any of the contracts.</p>' : `${overview(table)}\n${table.rows.map((row, at) => rowHtml(table, row, at)).join('\n')}`}
<footer>${table.documents.map(({ id, name }) => `<p>${escapeHtml(name)} <code>${escapeHtml(id)}</code></p>`).join('')}</footer>`;
  return page(title, body, 'wide');
}

function overview({ documents, rows }: ClauseTable): string {
  const head = documents.map(({ name }) => `<th scope="col">${escapeHtml(name)}</th>`).join('');
  const body = rows.map((row, at) => {
    const cells = row.cells.map((cell) => {
      const { glyph, label } = DEVIATION_LABELS[deviationOf(cell)];
      return `<td class="d-${deviationOf(cell)}${cell?.severity === 'high' && cell.diff.length > 0 ? ' s-high' : ''}"><span aria-hidden="true">${glyph}</span> ${cell === null || cell.path === '' ? label : `<span class="hidden">${label} </span>${escapeHtml(cell.path)}`}</td>`;
    });
    return `<tr><th scope="row" class="l-${Math.min(row.depth, 3)}"><a href="#row-${at + 1}">${escapeHtml(row.label)}</a></th>${cells.join('')}</tr>`;
  });
  return `<details open><summary>All clauses</summary><div class="scroll"><table class="overview"><thead><tr><th scope="col">Clause</th>${head}</tr></thead><tbody>\n${body.join('\n')}\n</tbody></table></div></details>`;
}

function rowHtml({ documents }: ClauseTable, row: ClauseRow, at: number): string {
  const cells = row.cells.map((cell, index) => cellHtml(documents[index]!.name, cell));
  return `<section id="row-${at + 1}" class="row"><h2>${escapeHtml(row.label)}</h2><div class="cells">${cells.join('')}</div></section>`;
}

function cellHtml(name: string, cell: ClauseCell | null): string {
  const { glyph, label } = DEVIATION_LABELS[deviationOf(cell)];
  const badge = `<span class="deviation"><span aria-hidden="true">${glyph}</span> ${label}</span>`;
  const caption = `<h3>${escapeHtml(name)}</h3>`;
  if (cell === null) return `<article class="cell d-missing">${caption}<p class="meta">${badge}</p></article>`;
  const place = [cell.path, cell.heading].filter((part) => part !== '').join(' ');
  const topics = cell.topics.filter((topic) => topic !== 'wording').map((topic) => `<li>${TOPIC_LABELS[topic]}</li>`);
  const severity = cell.deviation === 'edited' || cell.deviation === 'own' ? `<span class="severity s-${cell.severity}">${cell.severity}</span>` : '';
  const reason = severity === '' ? '' : `<p class="reason">${escapeHtml(cell.reason)}</p>`;
  const text = cell.diff.length > 0 ? `<p>${diffParts(cell.diff)}</p>` : paragraphs(cell.text);
  return `<article class="cell d-${cell.deviation}">${caption}<p class="meta"><span>${escapeHtml(place)}</span> ${badge} ${severity}</p>${topics.length === 0 ? '' : `<ul class="topics" aria-label="Concerns">${topics.join('')}</ul>`}${reason}<div class="text">${text}</div></article>`;
}
