import type { WireVisitor } from '../../api.ts'
import { route } from '../route.ts'
import { View } from '../shell/view.tsx'
import { words } from '../words/language.ts'
import { AccessView } from './access.tsx'
import { AlertsView } from './alerts.tsx'
import { ChangesView } from './changes.tsx'
import { CheckView } from './check.tsx'
import { LimitsView } from './limits.tsx'
import { MoreView } from './more.tsx'
import { OverviewView } from './overview.tsx'
import { UserView } from './user.tsx'
import { UsersView } from './users.tsx'

/** The view that the address names. */
export function ViewOf({ me }: { me: WireVisitor }) {
  const [section, id] = route.value.path
  const canChange = me.role === 'admin'
  switch (section) {
    case undefined:
    case 'spend':
      return <OverviewView />
    case 'users':
      if (id === undefined) return <UsersView />
      return <UserView key={id} id={id} canChange={canChange} timeZone={me.timeZone} />
    case 'check':
      return <CheckView timeZone={me.timeZone} />
    case 'limits':
      return <LimitsView canChange={canChange} timeZone={me.timeZone} />
    case 'access':
      return <AccessView canChange={canChange} />
    case 'alerts':
      return <AlertsView canChange={canChange} timeZone={me.timeZone} />
    case 'changes':
      return <ChangesView timeZone={me.timeZone} />
    case 'more':
      return <MoreView me={me} />
    default:
      return (
        <View title={words.value.problems.missingPage} hasBack>
          {null}
        </View>
      )
  }
}
