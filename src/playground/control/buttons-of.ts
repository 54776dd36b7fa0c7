import { isJsonObject, type JsonObject } from '../../platform/http/json.ts'
import type { StoredMessage } from '../world/message.ts'

/** Every button of a message: of its keyboards, and those that stand in a rich text or between its blocks. */
export function buttonsOf({ replyMarkup, content }: StoredMessage): JsonObject[] {
  return [...findButtons(replyMarkup), ...findButtons(content.rich?.blocks)]
}

/** The page that a button opens as a Mini App. */
export function webAppOf(button: JsonObject): string | undefined {
  const { web_app: webApp } = button
  return isJsonObject(webApp) && typeof webApp.url === 'string' ? webApp.url : undefined
}

/** Checks whether a button of its reply keyboard sends the contact of the person who presses it. */
export function asksForContact({ replyMarkup }: StoredMessage): boolean {
  if (replyMarkup === undefined || !('keyboard' in replyMarkup)) return false
  const buttons = replyMarkup.keyboard.flat()
  return buttons.some((button) => typeof button === 'object' && 'request_contact' in button)
}

/** Finds buttons at any depth: a button is an object with a text and an action. */
function findButtons(value: unknown): JsonObject[] {
  if (Array.isArray(value)) return value.flatMap(findButtons)
  if (!isJsonObject(value)) return []
  if (value.callback_data !== undefined || value.web_app !== undefined) return [value]
  return Object.values(value).flatMap(findButtons)
}
