import type { CallLog } from '../checks/call-log.ts'
import type { createFaults } from '../checks/faults.ts'
import type { Lints } from '../checks/lints.ts'
import type { ChatMaker } from '../control/chat-maker.ts'
import type { ClientSteps } from '../control/client-steps.ts'
import type { Membership } from '../control/membership.ts'
import type { MiniApps } from '../control/mini-apps.ts'
import type { NewPeople } from '../control/new-people.ts'
import type { People } from '../control/people.ts'
import type { Topics } from '../control/topics.ts'
import type { MethodDeps } from '../methods/method.ts'
import type { Changes } from '../updates/changes.ts'
import type { PlaygroundMessage } from '../world/message.ts'

/** Everything that the page of the playground shows, and the steps of people through it. */
export interface WebDeps
  extends Pick<
    MethodDeps,
    | 'world'
    | 'files'
    | 'drafts'
    | 'callbackQueries'
    | 'commandLists'
    | 'menuButtons'
    | 'profile'
    | 'clock'
    | 'closing'
  > {
  changes: Changes
  callLog: CallLog
  lints: Lints
  faults: ReturnType<typeof createFaults>
  control: ChatMaker & People & Membership & Topics & ClientSteps & NewPeople & MiniApps
  /** Checks whether demo models answer. */
  isDemo(): boolean
  /** Reports errors that should not happen. */
  onTrouble: (error: unknown) => void
  transcript(chatId: number): PlaygroundMessage[]
}
