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

function Table({ document, cells }: { readonly document: Document; readonly cells: readonly Block[] }) {
  const rows = new Map<number, Block[]>();
  for (const cell of cells) rows.set(cell.cell!.row, [...(rows.get(cell.cell!.row) ?? []), cell]);
  return (
    <table className={css['table']}>
      <tbody>
        {[...rows].map(([row, members]) => {
          const columns = [...new Set(members.map((member) => member.cell!.column))].sort((a, b) => a - b);
          return (
            <tr key={row}>
              {columns.map((column) => (
                <td key={column}>
                  {members
                    .filter((member) => member.cell!.column === column)
                    .map((member) => (
                      <FlowBlock key={member.id} document={document} block={member} />
                    ))}
                </td>
              ))}
            </tr>
          );
        })}
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
