import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newState, STATE_VERSION, type State } from './state.ts'
import type { Changes } from './updates/changes.ts'
import { BOT_ID, makeToken } from './world/bot.ts'

const WRITE_AFTER_MS = 2_000
/**
 * Ids of messages, updates and callback queries skip so many at a start: a crash may have lost the last seconds, and a
 * bot takes an id that it knows for the same update.
 */
const IDS_SKIPPED = 1_000

export interface StoreOptions {
  folder: string
  /** The token of a real bot, which is not written down. */
  token?: string | undefined
  freeBotId?: number | undefined
  /** First id of messages and updates in a new playground; default 1. */
  idsFrom?: number | undefined
  log: (line: string) => void
}

/**
 * Opens the store of one bot's playground: a JSON snapshot, and the name of a folder for the bytes of files. A damaged
 * snapshot counts as none.
 */
export function openStore(options: StoreOptions) {
  const { folder, token: given, freeBotId = BOT_ID, idsFrom = 1, log } = options
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const botId = Number(given?.split(':')[0] ?? freeBotId)
  const path = join(folder, `${botId}.json`)
  const found = read()
  const state = found ?? newState('', idsFrom)
  const token = given ?? (state.token || makeToken(botId))
  state.token = given === undefined ? token : ''
  let written = found === undefined ? '' : toJson(state)
  return { token, state, filesFolder: join(folder, `${botId}-files`), isNew: !found, keep }

  function read(): State | undefined {
    if (!existsSync(path)) return undefined
    try {
      const kept = fromJson(readFileSync(path, 'utf8'))
      if (kept.version === STATE_VERSION) return skipIds(kept)
      log(`The playground begins anew: "${path}" is of another version`)
    } catch (error) {
      log(`The playground begins anew: "${path}" is damaged (${(error as Error).message})`)
    }
    return undefined
  }

  /**
   * Writes the state some seconds after a change, until `close()`, which writes it at once.
   *
   * @param onTrouble Reports a write that failed; the next change tries again.
   */
  function keep(changes: Changes, onTrouble: (error: unknown) => void): { close(): void } {
    let timer: NodeJS.Timeout | undefined
    const unsubscribe = changes.subscribe(() => {
      timer ??= setTimeout(writeLater, WRITE_AFTER_MS)
    })
    return { close }

    function close(): void {
      unsubscribe()
      clearTimeout(timer)
      write()
    }

    function writeLater(): void {
      timer = undefined
      try {
        write()
      } catch (error) {
        onTrouble(error)
      }
    }
  }

  function write(): void {
    const text = toJson(state)
    if (text === written) return
    // A reader finds the old state or the new one, never a part.
    writeFileSync(`${path}.new`, text, { mode: 0o600 })
    renameSync(`${path}.new`, path)
    written = text
  }
}

export type Store = ReturnType<typeof openStore>

function skipIds(state: State): State {
  for (const chat of state.chats.values()) {
    if (chat.lastMessageId !== undefined) chat.lastMessageId += IDS_SKIPPED
  }
  state.mailboxId += IDS_SKIPPED
  state.nextUpdateId += IDS_SKIPPED
  state.queryCount += IDS_SKIPPED
  return state
}

const MAP = '@map'
const SET = '@set'

function toJson(state: State): string {
  return JSON.stringify(state, (_name, field: unknown) => {
    if (field instanceof Map) return { [MAP]: [...field] }
    return field instanceof Set ? { [SET]: [...field] } : field
  })
}

function fromJson(text: string): State {
  return JSON.parse(text, (_name, field: unknown) => {
    if (typeof field !== 'object' || field === null) return field
    if (MAP in field) return new Map(field[MAP] as [unknown, unknown][])
    return SET in field ? new Set(field[SET] as unknown[]) : field
  }) as State
}
