// How much two texts have in common: bags of words, their weighted Dice coefficient, and headings under which clauses count as the same.
import { normalForm } from './tokens.ts';

export function bagOf(ids: readonly number[]): Map<number, number> {
  const bag = new Map<number, number>();
  for (const id of ids) bag.set(id, (bag.get(id) ?? 0) + 1);
  return bag;
}

/** Weighted Dice coefficient of two bags of words: 0 nothing in common, 1 the same words. */
export function dice(x: Map<number, number>, y: Map<number, number>, weightOf: (id: number) => number): number {
  let [common, all] = [0, 0];
  for (const [id, count] of x) {
    const weight = weightOf(id);
    all += count * weight;
    common += Math.min(count, y.get(id) ?? 0) * weight;
  }
  for (const [id, count] of y) all += count * weightOf(id);
  return all === 0 ? 0 : (2 * common) / all;
}

/** Heading under which two clauses count as the same clause. */
export function headingKey(heading: string): string {
  return normalForm(heading, true)
    .toLowerCase()
    .replace(/[\s.:*_]+/g, ' ')
    .trim();
}
