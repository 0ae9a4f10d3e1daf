// Findings as lines of text: where, what, the words themselves, and what to write instead.
import { expect, it } from 'vitest';
import { makeDocument } from '../compare/makeDocument.test-support.ts';
import { lintDocument } from '../review/lint.ts';
import { findingsText } from './findings.ts';

it('says what to write instead where only one correction is possible', () => {
  const document = makeDocument('1. Pay. The party pays the the price in time.\n2. Wait. It waits thirty (60) days for the price.');
  expect(findingsText(lintDocument(document), ['1']).split('\n')).toEqual([
    'page 1, 1: info repeated-word: “the” stands twice.',
    '    1. Pay. The party pays the the price in time.',
    '    write: the',
    'page 1, 2: error amount-mismatch: The words say 30, the figures say 60.',
    '    2. Wait. It waits thirty (60) days for the price.',
    '',
  ]);
});
