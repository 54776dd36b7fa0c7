import type { WireLint } from '../../web/api.ts'
import { IconButton } from '../parts/icon-button.tsx'
import { formatPreciseTime } from '../words/durations.ts'
import { words } from '../words/language.ts'
import { chatLabel } from './chat-label.ts'
import { lints } from './panel-data.ts'

/** Lists what a careful bot would not have done, each kind once. */
export function LintsTab() {
  const { panel } = words.value
  const groups = groupLints(lints.items.value)
  if (groups.length === 0) {
    return <p class="panel-empty hint">{panel.lints.none}</p>
  }
  return (
    <>
      <div class="toolbar toolbar-row">
        <p class="hint small">{panel.lints.about}</p>
        <span class="toolbar-gap" />
        <IconButton icon="trash" label={panel.clear} onClick={lints.clear} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled with the keyboard too. */}
      <ul class="panel-scroll" aria-label={panel.tabs.lints} tabIndex={0}>
        {groups.map(({ rule, count, last }) => (
          <li key={rule} class="lint">
            <p class="lint-rule">
              <code>{rule}</code>
              {count > 1 ? <span class="mark mark-warm">× {count}</span> : null}
            </p>
            <p>{panel.lints.rules[rule]}</p>
            <p class="hint small num">
              {[formatPreciseTime(last.at), last.method, chatLabel(last.chat_id)]
                .filter((part) => part !== '')
                .join(' · ')}
            </p>
          </li>
        ))}
      </ul>
    </>
  )
}

/** The same fault of a bot, found once or many times. */
interface LintGroup {
  rule: WireLint['rule']
  count: number
  /** The latest of them. */
  last: WireLint
}

/** Puts the same findings together; those found last come first. */
function groupLints(lints: readonly WireLint[]): LintGroup[] {
  const groups = new Map<WireLint['rule'], LintGroup>()
  for (const lint of lints) {
    const { rule } = lint
    const count = (groups.get(rule)?.count ?? 0) + 1
    groups.delete(rule)
    groups.set(rule, { rule, count, last: lint })
  }
  return [...groups.values()].reverse()
}
