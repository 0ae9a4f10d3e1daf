import type { Field, FieldValue, SummaryField } from '../../../core/contract/summary.ts';
import { showValue } from '../../store/reports.ts';
import { useStore } from '../../store/store.ts';
import css from './FieldView.module.css';
import { WORDS } from './fields.ts';

const STATUS = { found: '', not_found: 'Not found', conflicting: 'Conflicting', not_read: 'Not read' } as const;
const SOURCES = { extractor: 'Extractor', reader: 'Reader', writer: 'Writer' } as const;

/** Characters up to which a value is read at a glance; longer ones are set as the passage they are. */
const SHORT = 60;

function Value({ name, value }: { readonly name: SummaryField; readonly value: FieldValue }) {
  const active = useStore((state) => state.viewer.activeMark === `value:${name}:${value.span.blockId}:${value.span.start}`);
  const sources = value.sources.map((source) => SOURCES[source]).join(' and ');
  return (
    <button
      type="button"
      className={css['value']}
      data-testid="summary-value"
      aria-pressed={active}
      title={`${value.quote}\n\n${sources}, confidence ${Math.round(value.confidence * 100)} %`}
      onClick={() => showValue(name, value)}
    >
      <span className={css[value.value.length <= SHORT ? 'text' : 'passage']}>{value.value}</span>
      {value.normalized !== null && value.normalized !== value.value && <span className={css['normalized']}>{value.normalized}</span>}
      <span className={css['place']}>{[value.path, `p. ${value.page + 1}`].filter(Boolean).join(' · ')}</span>
    </button>
  );
}

export function FieldView({ name, field }: { readonly name: SummaryField; readonly field: Field }) {
  return (
    <div className={css['field']} data-testid="summary-field" data-field={name} data-status={field.status}>
      <dt>{WORDS[name]}</dt>
      <dd>
        {field.status !== 'found' && (
          <span className={css['status']} data-status={field.status}>
            {STATUS[field.status]}
          </span>
        )}
        {field.values.map((value, at) => (
          <Value key={at} name={name} value={value} />
        ))}
      </dd>
    </div>
  );
}
