import type { Chats } from '../control/chats.ts'
import type { People } from '../control/people.ts'
import type { MethodDeps } from '../methods/method.ts'
import type { Changes } from '../updates/changes.ts'
import type { PlaygroundMessage } from '../world/message.ts'

export interface WebDeps extends MethodDeps {
  changes: Changes
  control: Chats & People & { initData(userId: number): string }
  isDemo(): boolean
  /** Reports errors that should not happen. */
  onTrouble: (error: unknown) => void
  transcript(chatId: number): PlaygroundMessage[]
}
