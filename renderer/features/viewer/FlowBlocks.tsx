// The blocks of one set page. Cells of a table are gathered into a table again.
import type { Block, Document } from '../../../core/contract/document.ts';
import { FlowBlock } from './FlowBlock.tsx';
import css from './FlowBlocks.module.css';

type Piece = { readonly kind: 'block'; readonly block: Block } | { readonly kind: 'table'; readonly id: string; readonly cells: Block[] };

function gather(blocks: readonly Block[]): readonly Piece[] {
  const pieces: Piece[] = [];
  for (const block of blocks) {
    const last = pieces.at(-1);
    if (!block.cell) pieces.push({ kind: 'block', block });
    else if (last?.kind === 'table' && last.id === block.cell.table) last.cells.push(block);
    else pieces.push({ kind: 'table', id: block.cell.table, cells: [block] });
  }
  return pieces;
}

/** Blocks of one cell in order: a cell may hold several paragraphs. */
function cellsOf(row: readonly Block[]): readonly (readonly [Block, ...Block[]])[] {
  const byColumn = new Map<number, [Block, ...Block[]]>();
  for (const block of row) {
    const known = byColumn.get(block.cell!.column);
    if (known) known.push(block);
    else byColumn.set(block.cell!.column, [block]);
  }
  return [...byColumn].sort(([a], [b]) => a - b).map(([, blocks]) => blocks);
}

function Cell({ document, blocks }: { readonly document: Document; readonly blocks: readonly [Block, ...Block[]] }) {
  const { rowSpan, columnSpan, header } = blocks[0].cell!;
  const Tag = header ? 'th' : 'td';
  return (
    <Tag rowSpan={rowSpan} colSpan={columnSpan}>
      {blocks.map((block) => (
        <FlowBlock key={block.id} document={document} block={block} />
      ))}
    </Tag>
  );
}

function Table({ document, cells }: { readonly document: Document; readonly cells: readonly Block[] }) {
  const rows = new Map<number, Block[]>();
  for (const cell of cells) {
    const row = rows.get(cell.cell!.row);
    if (row) row.push(cell);
    else rows.set(cell.cell!.row, [cell]);
  }
  return (
    <table className={css['table']}>
      <tbody>
        {[...rows].map(([row, members]) => (
          <tr key={row}>
            {cellsOf(members).map((blocks) => (
              <Cell key={blocks[0].id} document={document} blocks={blocks} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function FlowBlocks({ document, blocks }: { readonly document: Document; readonly blocks: readonly Block[] }) {
  return gather(blocks).map((piece) =>
    piece.kind === 'block' ? (
      <FlowBlock key={piece.block.id} document={document} block={piece.block} />
    ) : (
      <Table key={`${piece.id}:${piece.cells[0]!.id}`} document={document} cells={piece.cells} />
    ),
  );
}
