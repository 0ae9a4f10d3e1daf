// What a page that fails costs: itself, and never the file.
import { describe, expect, it } from 'vitest';
import { loadMupdf } from './mupdf.ts';
import { PageReader, pictureShare, type PageReading } from './readPage.ts';
import { SecondOpinion, type OpinionPage } from './text/secondOpinion.ts';

/** A second engine whose text can not be worked on. */
class Throwing extends SecondOpinion {
  private readonly thrown: Error;

  constructor(thrown: Error) {
    super(new Uint8Array(0), undefined);
    this.thrown = thrown;
  }

  override page(): Promise<OpinionPage | null> {
    return Promise.reject(this.thrown);
  }
}

const read = async (thrown: Error): Promise<PageReading> => new PageReader(await loadMupdf(), null, false, new Throwing(thrown)).read(3);

describe('reading a page', () => {
  it('fault: one page that outgrows an array or the stack loses the whole file', async () => {
    const reading = await read(new RangeError('Maximum call stack size exceeded'));
    expect(reading).toMatchObject({ failed: true, lines: [], warnings: [{ code: 'page_failed', page: 3 }] });
    expect(reading.warnings[0]?.message).toMatch(/^Page 4 can not be read \(.*Maximum call stack/);
  });

  it('lets faults of the program go on', async () => {
    await expect(read(new TypeError('x is undefined'))).rejects.toThrow('x is undefined');
  });

  it('fault: a page of more pictures than a call takes arguments can not be read', () => {
    const pictures = Array.from({ length: 200_000 }, (_, order) => ({ box: { x0: 0, y0: 0, x1: 30, y1: order === 7 ? 30 : 10 }, order }));
    expect(pictureShare(pictures, 3600)).toBe(0.25);
  });
});
