// Templates with blanks ("{employer_name}") filled with values whose normalised form is known; each template gets other values in other written forms.
import { fold } from '../../core/extract/parties.ts';

export interface Values {
  readonly parties: readonly [string, string];
  readonly date: { readonly written: string; readonly iso: string };
  readonly law: string;
  readonly period: readonly { readonly written: string; readonly iso: string }[];
  readonly amount: readonly { readonly written: string; readonly minor: string }[];
}

const COMPANIES = [
  'Acme Manufacturing, Inc.',
  'Northwind Traders LLC',
  'Blue River Holdings Ltd.',
  'Contoso Pharma GmbH',
  'Tern & Partners LLP',
  'Kestrel Robotics Corporation',
  'Østbro Shipping A/S',
];
const PEOPLE = ['Jane Doe', 'María-José Carreño', 'Wei Zhang', 'Samuel O’Neill', 'Priya N. Raman'];
const DATES = [
  { written: 'March 1, 2026', iso: '2026-03-01' },
  { written: '15 September 2025', iso: '2025-09-15' },
  { written: 'the 3rd day of May, 2019', iso: '2019-05-03' },
  { written: '2024-11-30', iso: '2024-11-30' },
  { written: 'Dec. 9, 2021', iso: '2021-12-09' },
];
/** Templates for one state take its law: their text speaks of it. */
const STATE = /(?:covenant|letter)-([a-z-]+)$/;
const PERIODS = [
  { written: '12 months', iso: 'P12M' },
  { written: 'twenty-four (24) months', iso: 'P24M' },
  { written: 'one (1) year', iso: 'P1Y' },
  { written: '90 days', iso: 'P90D' },
  { written: 'six months', iso: 'P6M' },
];
const AMOUNTS = [
  { written: '$125,000', minor: 'USD 12500000' },
  { written: 'EUR 98.500,00', minor: 'EUR 9850000' },
  { written: '£1.2 million', minor: 'GBP 120000000' },
  { written: 'one hundred thousand dollars', minor: 'USD 10000000' },
  { written: 'CAD 75,250.50', minor: 'CAD 7525050' },
];

const pick = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;

export function valuesFor(index: number, name: string): Values {
  const state = STATE.exec(name)?.[1] ?? 'delaware';
  return {
    parties: [pick(COMPANIES, index), pick(PEOPLE, index)],
    date: pick(DATES, index),
    law: state
      .split('-')
      .map((word) => (word === 'of' ? word : word.slice(0, 1).toUpperCase() + word.slice(1)))
      .join(' '),
    period: [pick(PERIODS, index), pick(PERIODS, index + 2)],
    amount: [pick(AMOUNTS, index)],
  };
}

export interface Truth {
  readonly parties: readonly string[];
  readonly date: readonly string[];
  readonly law: readonly string[];
  readonly period: readonly string[];
  readonly amount: readonly string[];
}

/** The text with every blank filled, and the normalised values that now stand in it. */
export function fillTemplate(template: string, values: Values): { readonly text: string; readonly values: Truth } {
  const used = { parties: new Set<string>(), date: new Set<string>(), law: new Set<string>(), period: new Set<string>(), amount: new Set<string>() };
  let periods = 0;
  const text = template.replace(/\$?\{([a-z_0-9]+)\}/g, (_blank, name: string) => {
    if (/^(?:employer_name|company_legal_name)$/.test(name)) return put(used.parties, values.parties[0], fold(values.parties[0]));
    if (/^(?:employee_name|founder_name)$/.test(name)) return put(used.parties, values.parties[1], fold(values.parties[1]));
    if (name === 'effective_date') return put(used.date, values.date.written, values.date.iso);
    if (name === 'governing_law') return put(used.law, values.law, fold(values.law));
    if (/_(?:duration|period)$/.test(name)) {
      const period = pick(values.period, periods++);
      return put(used.period, period.written, period.iso);
    }
    if (/(?:salary|price|purchase_amount)(?:_per_share)?$/.test(name)) {
      const amount = pick(values.amount, 0);
      return put(used.amount, amount.written, amount.minor);
    }
    // Blanks of other kinds take words without figures.
    return name.endsWith('date') ? 'the date of signature' : name.replaceAll('_', ' ');
  });
  return { text, values: { parties: [...used.parties], date: [...used.date], law: [...used.law], period: [...used.period], amount: [...used.amount] } };
}

function put(used: Set<string>, written: string, normalized: string): string {
  used.add(normalized);
  return written;
}
