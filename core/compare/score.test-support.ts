// What a comparison found against the known edits: hits, misses and false alarms by kind.
// Rule: one edit is told once. A second change about the same edit is a false alarm, and so is a change of another kind than the edit's.
import type { Comparison } from '../contract/comparison.ts';
import type { EditedPair } from './edits.test-support.ts';
import { TRUTH_KINDS, type Truth, type TruthKind } from './truth.test-support.ts';

interface Finding {
  readonly kind: TruthKind;
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly text: string;
}

export interface KindScore {
  hits: number;
  missed: number;
  false: number;
}

export interface Score {
  readonly kinds: Record<TruthKind, KindScore>;
  readonly failures: string[];
}

export function emptyScore(): Score {
  return { kinds: Object.fromEntries(TRUTH_KINDS.map((kind) => [kind, { hits: 0, missed: 0, false: 0 }])) as Score['kinds'], failures: [] };
}

/** Changes as a reader is told them: those of a group are one finding. */
function findingsOf({ changes, groups }: Comparison): Finding[] {
  const grouped = new Map(groups.map((group) => [group.id, group]));
  const alone = changes.flatMap((change): Finding[] => {
    const group = change.groupId === null ? undefined : grouped.get(change.groupId);
    if (group?.kind === 'rename') return [];
    const kind = group?.kind === 'references' ? 'references' : change.kind;
    return [{ kind, before: change.before?.clauseIds ?? [], after: change.after?.clauseIds ?? [], text: change.reason }];
  });
  const renames = groups
    .filter(({ kind }) => kind === 'rename')
    .map((group): Finding => {
      const own = changes.filter(({ groupId }) => groupId === group.id);
      return {
        kind: 'rename',
        before: own.flatMap(({ before }) => before?.clauseIds ?? []),
        after: own.flatMap(({ after }) => after?.clauseIds ?? []),
        text: group.reason,
      };
    });
  return [...byClause(alone), ...renames];
}

/** Several changed paragraphs of one clause are one finding about that clause. */
function byClause(findings: readonly Finding[]): Finding[] {
  const groups = Map.groupBy(findings, ({ kind, before, after }) => (kind === 'changed' || kind === 'references' ? [kind, before, after].join() : {}));
  return [...groups.values()].map(([first]) => first!);
}

function meets(truth: Truth, finding: Finding): boolean {
  if (truth.kind !== finding.kind) return false;
  const touch = (x: readonly string[], y: readonly string[]): boolean => (x.length === 0 ? y.length === 0 : x.some((id) => y.includes(id)));
  return touch(truth.before, finding.before) && touch(truth.after, finding.after);
}

/** Adds one pair to the score. */
export function addScore(score: Score, name: string, { truths, following }: EditedPair, comparison: Comparison): void {
  const findings = findingsOf(comparison);
  const used = new Set<Finding>();
  for (const truth of truths) {
    const hit = findings.find((finding) => !used.has(finding) && meets(truth, finding));
    if (hit === undefined) {
      score.kinds[truth.kind].missed++;
      score.failures.push(`${name}: missed ${truth.kind} ${truth.before.slice(0, 3).join(',')} > ${truth.after.slice(0, 3).join(',')}`);
    } else {
      used.add(hit);
      score.kinds[truth.kind].hits++;
    }
  }
  for (const finding of findings) {
    // That a reference follows in a clause that was edited as well is true, and no truth of its own.
    const follows = finding.kind === 'references' && finding.after.every((id) => following.has(id));
    if (used.has(finding) || follows) continue;
    score.kinds[finding.kind].false++;
    score.failures.push(`${name}: false ${finding.kind} ${finding.before.join(',')} > ${finding.after.join(',')}: ${finding.text}`);
  }
}

export const precision = ({ hits, false: alarms }: KindScore): number => (hits + alarms === 0 ? 1 : hits / (hits + alarms));
export const recall = ({ hits, missed }: KindScore): number => (hits + missed === 0 ? 1 : hits / (hits + missed));
