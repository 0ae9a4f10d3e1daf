// Changes that a file already has, accepted before it is compared.
import { expect, it } from 'vitest';
import { acceptChanges } from './accepted.ts';
import { element, elements, textIn } from './xml.ts';

const paragraph = (text: string, mark: string[] = []) =>
  element('w:p', {}, [
    element('w:pPr', {}, [
      element(
        'w:rPr',
        {},
        mark.map((name) => element(name)),
      ),
    ]),
    element('w:r', {}, [text]),
  ]);

it('joins a paragraph whose mark was deleted to the next, also out of a move that held it', () => {
  const body = element('w:body', {}, [
    element('w:moveTo', {}, [paragraph('The fee '), paragraph('is ', ['w:del'])]),
    paragraph('due ', ['w:del']),
    paragraph('today'),
  ]);
  // The move and two deleted marks.
  expect(acceptChanges(body)).toBe(3);
  expect(elements(body).map(textIn)).toEqual(['The fee ', 'is due today']);
});

it('keeps the last paragraph of a container, whose mark can not go', () => {
  const cell = element('w:tc', {}, [paragraph('alone', ['w:del'])]);
  expect(acceptChanges(cell)).toBe(1);
  expect(elements(cell).map(textIn)).toEqual(['alone']);
});
