/** Which columns a list shows. The browser keeps the choice for each list. */
import { Columns3 } from 'lucide'
import { useState } from 'preact/hooks'
import { readStored, store } from '../../api/stored.ts'
import { Field } from '../field.tsx'
import type { Column } from '../table.tsx'
import { Popup } from './popup.tsx'

/** Returns the shown columns, and the control to choose them. The first column is always shown. */
export function useColumnChoice<T>(noun: string, columns: readonly Column<T>[]) {
  const name = `svc-hidden-columns-${noun}`
  const [hidden, setHidden] = useState(() => readStored(name)?.split('\n') ?? [])
  const change = (title: string, isShown: boolean): void => {
    const next = isShown ? hidden.filter(each => each !== title) : [...hidden, title]
    setHidden(next)
    store(name, next.length > 0 ? next.join('\n') : null)
  }
  const choices = columns.slice(1)
  const control = (
    <Popup
      kind="quiet"
      isSmall
      icon={Columns3}
      label={`Columns of ${noun}`}
      title={`Columns of ${noun}`}
      opens="dialog"
      content={() =>
        choices.map(({ title }) => (
          <Field
            key={title}
            type="check"
            label={title}
            value={!hidden.includes(title)}
            onChange={isShown => change(title, isShown)}
          />
        ))
      }
    />
  )
  return { shown: columns.filter((column, i) => i === 0 || !hidden.includes(column.title)), control }
}
