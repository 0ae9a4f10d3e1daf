// The summary's fields as groups and words for a person, and its file form.
import type { Summary, SummaryField } from '../../../core/contract/summary.ts';

export const GROUPS: readonly { readonly title: string; readonly fields: readonly SummaryField[] }[] = [
  { title: 'The agreement', fields: ['title', 'parties', 'agreementDate', 'effectiveDate'] },
  { title: 'Term', fields: ['term', 'expirationDate', 'renewal', 'renewalNotice', 'termination'] },
  { title: 'Money and risk', fields: ['amounts', 'liabilityCap', 'insurance', 'audit'] },
  { title: 'Law', fields: ['governingLaw', 'jurisdiction'] },
  { title: 'Rights and limits', fields: ['assignment', 'confidentiality', 'license', 'exclusivity', 'nonCompete'] },
];

export const WORDS: Readonly<Record<SummaryField, string>> = {
  title: 'Title',
  parties: 'Parties',
  agreementDate: 'Dated',
  effectiveDate: 'Effective',
  expirationDate: 'Expires',
  term: 'Term',
  renewal: 'Renewal',
  renewalNotice: 'Renewal notice',
  governingLaw: 'Governing law',
  jurisdiction: 'Jurisdiction',
  amounts: 'Amounts',
  liabilityCap: 'Liability cap',
  termination: 'Termination',
  assignment: 'Assignment',
  confidentiality: 'Confidentiality',
  insurance: 'Insurance',
  audit: 'Audit',
  nonCompete: 'Non-compete',
  exclusivity: 'Exclusivity',
  license: 'Licence',
};

/** Hands the summary to the person as a file; the form is the published schema's, with nothing added. */
export function download(summary: Summary): void {
  const url = URL.createObjectURL(new Blob([`${JSON.stringify(summary, null, 2)}\n`], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `${summary.documentName.replace(/\.[^.]+$/, '')}.summary.json`;
  link.click();
  // The download has its own hold on the bytes once it has begun; a minute is more than any browser needs to begin.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
