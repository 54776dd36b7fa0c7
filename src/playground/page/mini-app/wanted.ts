import { signal } from '@preact/signals'
import type { ChatState } from '../state/chat-state.ts'

/** A Mini App that a button asks to show. */
export interface WantedMiniApp {
  chat: ChatState
  url: string
  /** Of the button that was pressed. */
  title: string
}

/** The one that is to be shown, until it is closed. */
export const wantedMiniApp = signal<WantedMiniApp | undefined>(undefined)

/** Shows a Mini App in the place of the one that is open. */
export function openMiniApp(wanted: WantedMiniApp): void {
  wantedMiniApp.value = wanted
}
