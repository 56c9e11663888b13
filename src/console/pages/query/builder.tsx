/** A form that builds a query from menus. */
import { Plus, X } from 'lucide'
import { useId } from 'preact/hooks'
import { unitText } from '../../../catalogue/wording.ts'
import { toOptions } from '../../api/choices.ts'
import { Button } from '../../parts/button.tsx'
import { Suggestions } from '../../parts/field.tsx'
import { type Entry, Fields } from '../../parts/form.tsx'
import {
  exampleWhere,
  type GroupItem,
  type MixedKinds,
  type Model,
  type NamedColumn,
  type NamedColumns,
  type Words,
} from './query-model.ts'

interface BuilderProps {
  readonly model: Model
  readonly words: Words
  readonly columns: NamedColumns
  readonly onChange: (model: Model) => void
}

export function Builder({ model, words, columns, onChange }: BuilderProps) {
  const { past, anchor, select, groupBy, where, merge, mixedKinds } = model
  const change = (part: Partial<Model>): void => onChange({ ...model, ...part })
  const hintOf = (name: string): string | undefined => {
    const column = columns.get(name)
    return column && describe(column)
  }
  const listId = useId()
  return (
    <div class="stack">
      <Suggestions
        id={listId}
        values={[...columns.values()].map(column => ({ value: column.name, label: describe(column) }))}
      />
      <fieldset class="builder-part">
        <legend>Time</legend>
        <div class="row builder-line">
          <Fields
            of={{
              values: { value: `${past.value}`, unit: past.unit, anchor },
              set: ({ value = past.value, unit = past.unit, ...rest }) =>
                change({ past: { value: Number(value), unit }, ...rest }),
            }}
            fields={[
              { name: 'value', label: 'Past', type: 'number', min: 1 },
              {
                name: 'unit',
                label: 'Unit',
                options: words.period_units.map(unit => ({ value: unit, label: `${unit}s` })),
              },
              { name: 'anchor', label: 'Until', type: 'date' },
            ]}
          />
        </div>
      </fieldset>
      <Lines
        legend="Values"
        add="Add a value"
        added={{ func: 'mean', column: select.at(-1)?.column ?? '' }}
        least={1}
        items={select}
        onChange={items => change({ select: items })}
        fieldsOf={({ column }) => [
          { name: 'func', label: 'Function', options: functionsFor(columns.get(column), words) },
          { name: 'column', label: 'Column', listId, hint: hintOf(column) },
        ]}
        changed={(item, part) => ({ ...item, ...part })}
        removeLabel={({ func, column }) => `Remove ${func} ${column}`}
      />
      <Lines
        legend="Groups"
        add="Add a group"
        added={DAILY}
        least={0}
        items={groupBy}
        onChange={items => change({ groupBy: items })}
        fieldsOf={group => [
          { name: 'kind', label: 'By', options: KINDS },
          group.kind === 'period' && { name: 'value', label: 'Length', type: 'number', min: 1 },
          group.kind === 'period' && { name: 'unit', label: 'Unit', options: words.period_units },
          group.kind === 'part' && { name: 'part', label: 'Part', options: toOptions(words.date_parts) },
          group.kind === 'column' && {
            ...{ name: 'column', label: 'Column', listId },
            hint: hintOf(group.column),
          },
        ]}
        changed={(group, { kind, value, ...part }) =>
          kind === undefined
            ? // shows only the fields for this kind of group
              ({ ...group, ...part, ...(value === undefined ? {} : { value: Number(value) }) } as GroupItem)
            : firstItem(kind, words)
        }
        removeLabel={() => 'Remove this group'}
      />
      <Fields
        of={{ values: { where }, set: change }}
        fields={[
          {
            name: 'where',
            label: 'Only rows where',
            placeholder: exampleWhere(model, columns),
            hint: 'A condition in SQL; leave it empty for all rows',
          },
        ]}
      />
      <Fields
        of={{ values: { merge, mixedKinds }, set: change }}
        fields={[
          {
            name: 'merge',
            label: 'Merge sources',
            type: 'check',
            hint: 'For samples, sleep and workouts: what several sources recorded counts once',
          },
          { name: 'mixedKinds', label: 'Mixed kinds', options: MIXED, hint: 'Such as SDNN and RMSSD of the HRV' },
        ]}
      />
    </div>
  )
}

/** What to do if values are of several kinds. */
const MIXED: readonly { readonly value: MixedKinds; readonly label: string }[] = [
  { value: 'warn', label: 'Mix them and warn' },
  { value: 'split', label: 'One value for each kind' },
  { value: 'refuse', label: 'Refuse the query' },
]

const KINDS = [
  { value: 'period', label: 'Every period' },
  { value: 'part', label: 'Part of the date' },
  { value: 'column', label: 'Column' },
]

const DAILY: GroupItem = { kind: 'period', unit: 'day', value: 1 }

/** Returns an initial group of a kind. */
function firstItem(kind: string, { date_parts: parts }: Words): GroupItem {
  if (kind === 'part') return { kind, part: parts.includes('weekday') ? 'weekday' : (parts[0] ?? '') }
  return kind === 'column' ? { kind, column: '' } : DAILY
}

/** Returns the meaning of a column with its unit. */
function describe({ meaning, unit }: NamedColumn): string {
  if (unit === null || meaning.includes(`, ${unit},`)) return meaning
  // some meanings end with the unit, as the API writes it
  const text = meaning.endsWith(`, ${unit}`) ? meaning.slice(0, -unit.length - 2) : meaning
  return [text, unitText(unit)].filter(Boolean).join(', ')
}

/** Returns the functions that accept a column; for an unknown column, all functions. */
function functionsFor(column: NamedColumn | undefined, { functions }: Words) {
  const fitting = functions.filter(({ takes }) => column === undefined || takes.includes(column.type))
  return [{ value: '', label: 'unchanged' }, ...fitting.map(({ name }) => name)]
}

type Texts = Readonly<Record<string, string>>

interface LinesProps<T> {
  readonly legend: string
  readonly items: readonly T[]
  readonly onChange: (items: readonly T[]) => void
  readonly fieldsOf: (item: T) => readonly Entry<Texts>[]
  /** Returns an item after a change of its fields. */
  readonly changed: (item: T, part: Partial<Texts>) => T
  readonly removeLabel: (item: T) => string
  /** Text of the button that adds an item. */
  readonly add: string
  /** Item that the button adds. */
  readonly added: T
  /** Minimum number of items. */
  readonly least: number
}

/** A list in which each item is a line of fields. */
function Lines<T extends object>(props: LinesProps<T>) {
  const { legend, items, onChange, fieldsOf, changed, removeLabel, add, added, least } = props
  return (
    <fieldset class="builder-part">
      <legend>{legend}</legend>
      {items.map((item, index) => (
        <div class="row builder-line" key={index}>
          <Fields
            of={{
              values: Object.fromEntries(Object.entries(item).map(([name, value]) => [name, `${value}`])),
              set: part => onChange(items.with(index, changed(item, part))),
            }}
            fields={fieldsOf(item)}
          />
          <Button
            kind="quiet"
            icon={X}
            disabled={items.length === least}
            onClick={() => onChange(items.toSpliced(index, 1))}
            label={removeLabel(item)}
          />
        </div>
      ))}
      <div>
        <Button isSmall icon={Plus} onClick={() => onChange([...items, added])}>
          {add}
        </Button>
      </div>
    </fieldset>
  )
}
