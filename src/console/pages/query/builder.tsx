/** Builds a query from choices. */

import { useId } from 'preact/hooks'
import { words as wordsOf } from '../../../catalogue/wording.ts'
import { Button } from '../../parts/button.tsx'
import { SelectField, Suggestions, TextField } from '../../parts/field.tsx'
import {
  exampleWhere,
  type GroupItem,
  type Model,
  type NamedColumn,
  type SelectedItem,
  type Words,
} from './query-model.ts'

interface BuilderProps {
  readonly model: Model
  readonly words: Words
  readonly columns: ReadonlyMap<string, NamedColumn>
  readonly onChange: (model: Model) => void
}

const option = (value: string, label = value) => ({ value, label })

export function Builder({ model, words, columns, onChange }: BuilderProps) {
  const change = (part: Partial<Model>): void => onChange({ ...model, ...part })
  const units = words.period_units.map(unit => option(unit, `${unit}s`))
  const listId = useId()
  return (
    <div class="stack">
      <Suggestions
        id={listId}
        values={[...columns.values()].map(({ name, meaning }) => ({ value: name, label: meaning }))}
      />
      <fieldset class="builder-part">
        <legend>Time</legend>
        <div class="builder-line">
          <TextField
            label="Past"
            type="number"
            min={1}
            value={`${model.past.value}`}
            onInput={value => change({ past: { ...model.past, value: Number(value) } })}
          />
          <SelectField
            label="Unit"
            value={model.past.unit}
            options={units}
            onChange={unit => change({ past: { ...model.past, unit } })}
          />
          <TextField label="Until" type="date" value={model.anchor} onInput={anchor => change({ anchor })} />
        </div>
      </fieldset>
      <fieldset class="builder-part">
        <legend>Values</legend>
        {model.select.map((item, index) => (
          <SelectLine
            key={index}
            item={item}
            words={words}
            column={columns.get(item.column)}
            listId={listId}
            onChange={changed => change({ select: model.select.with(index, changed) })}
            onRemove={model.select.length === 1 ? null : () => change({ select: model.select.toSpliced(index, 1) })}
          />
        ))}
        <div>
          <Button
            isSmall
            onClick={() =>
              change({ select: [...model.select, { func: 'mean', column: model.select.at(-1)?.column ?? '' }] })
            }
          >
            Add a value
          </Button>
        </div>
      </fieldset>
      <fieldset class="builder-part">
        <legend>Groups</legend>
        {model.groupBy.map((group, index) => (
          <GroupLine
            key={index}
            group={group}
            words={words}
            listId={listId}
            onChange={changed => change({ groupBy: model.groupBy.with(index, changed) })}
            onRemove={() => change({ groupBy: model.groupBy.toSpliced(index, 1) })}
          />
        ))}
        <div>
          <Button
            isSmall
            onClick={() => change({ groupBy: [...model.groupBy, { kind: 'period', unit: 'day', value: 1 }] })}
          >
            Add a group
          </Button>
        </div>
      </fieldset>
      <TextField
        label="Only rows where"
        value={model.where}
        onInput={where => change({ where })}
        placeholder={exampleWhere(model, columns)}
        hint="A condition in SQL; leave it empty for all rows"
      />
    </div>
  )
}

interface SelectLineProps {
  readonly item: SelectedItem
  readonly words: Words
  readonly column: NamedColumn | undefined
  readonly listId: string
  readonly onChange: (item: SelectedItem) => void
  readonly onRemove: (() => void) | null
}

function SelectLine({ item, words, column, listId, onChange, onRemove }: SelectLineProps) {
  const fitting = words.functions.filter(({ takes }) => column === undefined || takes.includes(column.type))
  const functions = [option('', 'as it is'), ...fitting.map(({ name }) => option(name))]
  return (
    <div class="builder-line">
      <SelectField
        label="Function"
        value={item.func}
        options={functions}
        onChange={func => onChange({ ...item, func })}
      />
      <TextField
        label="Column"
        value={item.column}
        listId={listId}
        onInput={name => onChange({ ...item, column: name })}
      />
      <Button
        kind="quiet"
        isSmall
        disabled={onRemove === null}
        onClick={() => onRemove?.()}
        label={`Remove ${item.func} ${item.column}`}
      >
        Remove
      </Button>
    </div>
  )
}

interface GroupLineProps {
  readonly group: GroupItem
  readonly words: Words
  readonly listId: string
  readonly onChange: (group: GroupItem) => void
  readonly onRemove: () => void
}

const KINDS = [option('period', 'Every period'), option('part', 'Part of the date'), option('column', 'Column')]

function GroupLine({ group, words, listId, onChange, onRemove }: GroupLineProps) {
  const choose = (kind: string): void => {
    if (kind === 'part')
      onChange({ kind, part: words.date_parts.includes('weekday') ? 'weekday' : (words.date_parts[0] ?? '') })
    else if (kind === 'column') onChange({ kind, column: '' })
    else onChange({ kind: 'period', unit: 'day', value: 1 })
  }
  return (
    <div class="builder-line">
      <SelectField label="By" value={group.kind} options={KINDS} onChange={choose} />
      {group.kind === 'period' && (
        <>
          <TextField
            label="Length"
            type="number"
            min={1}
            value={`${group.value}`}
            onInput={value => onChange({ ...group, value: Number(value) })}
          />
          <SelectField
            label="Unit"
            value={group.unit}
            options={words.period_units.map(unit => option(unit))}
            onChange={unit => onChange({ ...group, unit })}
          />
        </>
      )}
      {group.kind === 'part' && (
        <SelectField
          label="Part"
          value={group.part}
          options={words.date_parts.map(part => option(part, wordsOf(part)))}
          onChange={part => onChange({ kind: 'part', part })}
        />
      )}
      {group.kind === 'column' && (
        <TextField
          label="Column"
          value={group.column}
          listId={listId}
          onInput={column => onChange({ kind: 'column', column })}
        />
      )}
      <Button kind="quiet" isSmall onClick={onRemove} label="Remove this group">
        Remove
      </Button>
    </div>
  )
}
