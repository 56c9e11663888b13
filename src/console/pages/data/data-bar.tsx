/** Lets the user choose the user, the resource and the time range to show. */
import { useEffect, useId, useState } from 'preact/hooks'
import { formatTitle } from '../../../catalogue/wording.ts'
import type { View } from '../../parts/chart/series.ts'
import { Field } from '../../parts/field.tsx'
import { FieldFrame } from '../../parts/field-frame.tsx'
import { DAY, floatingDate, floatingFrom } from '../../parts/floating.ts'
import { Fields } from '../../parts/form.tsx'
import { UserPicker } from '../../parts/user-picker.tsx'
import { BEFORE, comparedStart, type DataState, PERIODS } from './data-state.ts'
import { isMergeable, isQueried } from './merging.ts'
import type { OwnResource } from './resources.ts'

interface DataBarProps {
  readonly state: DataState
  readonly resources: readonly OwnResource[] | undefined
  readonly resource: OwnResource | null
  readonly view: View | null
  readonly onChange: (part: Partial<DataState>) => void
}

export function DataBar({ state, resources = [], resource, view, onChange }: DataBarProps) {
  // a typed date that would reverse the time range stays, because the user may be about to change the year
  const [refused, setRefused] = useState<{ readonly from?: string; readonly to?: string } | null>(null)
  useEffect(() => setRefused(null), [view?.from, view?.to])
  const timeseries = resources.filter(each => each.timeseries)
  const isComparable = resource?.timeseries && isQueried(resource.timeseries)
  // a comparison always merges
  const isCompared = isComparable && view && comparedStart(state, view) !== null
  const summaries = resources.filter(each => !each.timeseries)
  const choose = (part: Partial<DataState>): void => onChange({ item: null, ...part })
  const setPeriod = ({ from, to }: View, part: { readonly from?: string; readonly to?: string }): void => {
    const day = dayFrom(part.from ?? part.to ?? '')
    const isReversed = day !== null && (part.from === undefined ? day < from : day >= to)
    setRefused(isReversed ? part : null)
    if (day === null || isReversed) return
    choose({ custom: part.from === undefined ? { from, to: day + DAY } : { from: day, to } })
  }
  return (
    <section class="data-bar" aria-label="What to show">
      <UserPicker userId={state.user} onPick={user => choose({ user: user.user_id, field: null, hidden: [] })} />
      <FieldFrame label="Resource">
        {control => (
          <select
            {...control}
            class="input"
            disabled={resources.length === 0}
            value={resource?.name ?? ''}
            onChange={event => choose({ resource: event.currentTarget.value, custom: null, field: null, hidden: [] })}
          >
            {resource === null && <option value="">Choose a resource</option>}
            <optgroup label="Timeseries">{timeseries.map(resourceOption)}</optgroup>
            <optgroup label="Summaries">{summaries.map(resourceOption)}</optgroup>
          </select>
        )}
      </FieldFrame>
      {view !== null && resource?.name !== 'profile' && (
        <>
          <Choices
            legend="Period"
            choices={PERIODS.map(days => ({
              label: `${days} days`,
              isChosen: state.custom === null && state.days === days,
              choose: () => choose({ days, custom: null }),
            }))}
          />
          <Fields
            of={{
              // the end is exclusive
              values: { from: refused?.from ?? floatingDate(view.from), to: refused?.to ?? floatingDate(view.to - 1) },
              set: part => setPeriod(view, part),
            }}
            fields={[
              {
                name: 'from',
                label: 'From',
                type: 'date',
                max: floatingDate(view.to - 1),
                problem: refused?.from && 'Must not be after the day in To',
              },
              {
                name: 'to',
                label: 'To',
                type: 'date',
                min: floatingDate(view.from),
                problem: refused?.to && 'Must not be before the day in From',
              },
            ]}
          />
          {isComparable && <Comparison {...{ state, view, choose }} />}
          {resource && !isCompared && isMergeable(resource.name, resource.timeseries) && (
            <Choices
              legend="Several sources"
              choices={[true, false].map(isMerged => ({
                label: isMerged ? 'Merged' : 'All sources',
                isChosen: state.isMerged === isMerged,
                choose: () => choose({ isMerged, hidden: [] }),
              }))}
            />
          )}
        </>
      )}
    </section>
  )
}

interface ComparisonProps {
  readonly state: DataState
  readonly view: View
  readonly choose: (part: Partial<DataState>) => void
}

const COMPARISONS = [
  { value: '', label: 'Nothing' },
  { value: BEFORE, label: 'The period before' },
  { value: 'other', label: 'Another period' },
]

/** Chooses another period of the same length to compare with. */
function Comparison({ state, view, choose }: ComparisonProps) {
  const start = comparedStart(state, view)
  const kind = start === null ? '' : state.compare === BEFORE ? BEFORE : 'other'
  const other = floatingDate(start ?? view.from)
  return (
    <>
      <Field
        label="Compare with"
        value={kind}
        options={COMPARISONS}
        onChange={next => choose({ compare: next === 'other' ? other : next || null })}
      />
      {kind === 'other' && (
        <Field
          label="Other period from"
          type="date"
          value={other}
          onChange={next => dayFrom(next) !== null && choose({ compare: next })}
        />
      )}
    </>
  )
}

interface ChoicesProps {
  readonly legend: string
  readonly choices: readonly { readonly label: string; readonly isChosen: boolean; readonly choose: () => void }[]
}

/** Buttons of which one is chosen. */
function Choices({ legend, choices }: ChoicesProps) {
  const name = useId()
  return (
    <fieldset class="data-choices">
      <legend class="field-label">{legend}</legend>
      {choices.map(({ label, isChosen, choose }) => (
        <label key={label}>
          <input type="radio" name={name} checked={isChosen} onChange={choose} />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
  )
}

/** Returns the start of the day; null while the date is still being typed, because the year 2026 is first 2, 20 and 202. */
function dayFrom(value: string): number | null {
  return value < '1900' ? null : floatingFrom(value)
}

function resourceOption({ name }: OwnResource) {
  return (
    <option key={name} value={name}>
      {formatTitle(name)}
    </option>
  )
}
