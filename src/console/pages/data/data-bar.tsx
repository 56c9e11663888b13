/** What to show: the user, the resource and the period. */
import { useId } from 'preact/hooks'
import type { View } from '../../parts/chart/series.ts'
import { TextField } from '../../parts/field.tsx'
import { UserPicker } from '../../parts/user-picker.tsx'
import { type DataAddress, PERIODS } from './address.ts'
import { DAY, dateOf, floatingFrom } from './floating.ts'
import { type OwnResource, titleOf } from './resources.ts'

interface DataBarProps {
  readonly address: DataAddress
  readonly resources: readonly OwnResource[] | undefined
  readonly resource: OwnResource | null
  readonly view: View | null
  readonly onChange: (part: Partial<DataAddress>) => void
}

export function DataBar({ address, resources = [], resource, view, onChange }: DataBarProps) {
  const id = useId()
  const timeseries = resources.filter(each => each.timeseries)
  const summaries = resources.filter(each => !each.timeseries)
  const choose = (part: Partial<DataAddress>): void => onChange({ item: null, ...part })
  return (
    <section class="data-bar" aria-label="What to show">
      <UserPicker userId={address.user} onPick={user => choose({ user: user.user_id, field: null, hidden: [] })} />
      <div class="field">
        <label for={id}>Resource</label>
        <select
          id={id}
          class="input"
          disabled={resources.length === 0}
          value={resource?.name ?? ''}
          onChange={event => choose({ resource: event.currentTarget.value, custom: null, field: null, hidden: [] })}
        >
          {resource === null && <option value="">Choose a resource</option>}
          <optgroup label="Timeseries">{timeseries.map(optionOf)}</optgroup>
          <optgroup label="Summaries">{summaries.map(optionOf)}</optgroup>
        </select>
      </div>
      {view !== null && resource?.name !== 'profile' && (
        <>
          <fieldset class="data-periods">
            <legend class="field-label">Period</legend>
            {PERIODS.map(days => (
              <label key={days}>
                <input
                  type="radio"
                  name={`${id}-period`}
                  checked={address.custom === null && address.days === days}
                  onChange={() => choose({ days, custom: null })}
                />
                <span>{days} days</span>
              </label>
            ))}
          </fieldset>
          <TextField
            label="From"
            type="date"
            value={dateOf(view.from)}
            max={dateOf(view.to - 1)}
            onInput={value => {
              const from = floatingFrom(value)
              if (from !== null && from < view.to) choose({ custom: { from, to: view.to } })
            }}
          />
          <TextField
            label="To"
            type="date"
            // the end is exclusive
            value={dateOf(view.to - 1)}
            min={dateOf(view.from)}
            onInput={value => {
              const day = floatingFrom(value)
              if (day !== null && day + DAY > view.from) choose({ custom: { from: view.from, to: day + DAY } })
            }}
          />
        </>
      )}
    </section>
  )
}

function optionOf({ name }: OwnResource) {
  return (
    <option key={name} value={name}>
      {titleOf(name)}
    </option>
  )
}
