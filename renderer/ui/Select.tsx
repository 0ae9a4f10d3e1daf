import { ChevronDown } from 'lucide-react';
import css from './Select.module.css';

export interface Option {
  readonly value: string;
  readonly label: string;
}

export function Select({
  label,
  value,
  options,
  placeholder,
  onChange,
  testId,
}: {
  label: string;
  value: string | null;
  options: readonly Option[];
  placeholder: string;
  onChange: (value: string) => void;
  testId: string;
}) {
  return (
    <label className={css['select']}>
      <span className={css['label']}>{label}</span>
      <select value={value ?? ''} data-testid={testId} onChange={(event) => onChange(event.target.value)}>
        <option value="" disabled>
          {placeholder}
        </option>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      <ChevronDown aria-hidden="true" />
    </label>
  );
}
