import { Icon, type IconName } from '../parts/icons.tsx'
import { hrefOf, route } from '../route.ts'
import { words } from '../words/language.ts'

type Section = Exclude<IconName, 'back' | 'forward' | 'close' | 'download'>

/** The sections in a phone's row at the bottom; the last leads to the others. */
const FIRST = ['spend', 'users', 'check', 'more'] as const

const WIDE = ['spend', 'users', 'check', 'limits', 'access', 'alerts', 'changes', 'more'] as const

/** The sections that a phone shows after "More". */
export const BEHIND_MORE = ['limits', 'access', 'alerts', 'changes'] as const

/** The ways to every section; the sheet shows one of the two by the page's width. */
export function Navigation() {
  return (
    <nav class="navigation" aria-label={words.value.menu}>
      <span class="brand" aria-hidden="true">
        Kopeck
      </span>
      <ul class="tabs">{FIRST.map((section) => itemOf(section, isWithin(section)))}</ul>
      <ul class="sidebar">{WIDE.map((section) => itemOf(section, sectionNow() === section))}</ul>
    </nav>
  )
}

/** The address of a section. */
export function hrefOfSection(section: Section): string {
  return section === 'spend' ? hrefOf([]) : hrefOf([section])
}

function itemOf(section: Section, isCurrent: boolean) {
  return (
    <li key={section}>
      <a
        class="navigation-item"
        href={hrefOfSection(section)}
        aria-current={isCurrent ? 'page' : undefined}
      >
        <Icon name={section} />
        <span>{words.value.sections[section]}</span>
      </a>
    </li>
  )
}

function sectionNow(): string {
  return route.value.path[0] ?? 'spend'
}

/** Checks whether a link is lit; on a phone a section after "More" lights "More". */
function isWithin(section: (typeof FIRST)[number]): boolean {
  const now = sectionNow()
  return now === section || (section === 'more' && BEHIND_MORE.some((other) => other === now))
}
