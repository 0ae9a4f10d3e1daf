// Lines that tell where a party signs, in the words that each reader of documents asks for.
import { describe, expect, it } from 'vitest';
import { isSignatureLine, SIGNATURE_LABELS } from './titles.ts';

describe('a signature line', () => {
  it.each([
    'By:',
    'Name: Jane Roe',
    'Printed name :',
    'PRINT NAME:',
    'Authorised Signatory:',
    'Witness:',
    'Its: President',
    '/s/ Jane Roe',
    'x______',
    '________',
    '法定代表人：',
    '盖章:',
  ])('is %s', (text) => {
    expect(isSignatureLine(text)).toBe(true);
  });

  it.each(['By the way', 'Title', 'Named insured: Acme', 'The date: 3 May', 'a ______ b', 'Witnesses are heard first.'])('is not %s', (text) => {
    expect(isSignatureLine(text)).toBe(false);
  });

  it('has labels without groups that count, so that a pattern around them numbers its own', () => {
    expect(new RegExp(`(${SIGNATURE_LABELS}):`, 'i').exec('Authorized signature:')).toHaveLength(2);
  });
});
