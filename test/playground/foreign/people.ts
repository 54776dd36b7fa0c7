import type { Playground } from '../../../src/playground/playground.ts'
import type { PlaygroundMessage } from '../../../src/playground/world/message.ts'

const ANN = 5

/** Ann, who talks to a bot and waits for what it says. */
export function asAnn(playground: Playground) {
  return { says, sees, presses, labels }

  /** Writes to the bot and waits for its next message. */
  async function says(text: string, replyToMessageId?: number): Promise<PlaygroundMessage> {
    const { message_id } = playground.userSends({
      userId: ANN,
      text,
      ...(replyToMessageId !== undefined && { replyToMessageId }),
    })
    return playground.waitFor(({ transcript }) =>
      transcript(ANN).find(({ id, from }) => id > message_id && from === 'bot'),
    )
  }

  /** Waits for a message of the bot with that text or caption. */
  function sees(text: string): Promise<PlaygroundMessage> {
    return playground.waitFor(({ transcript }) =>
      transcript(ANN).findLast((one) => one.from === 'bot' && (one.text ?? one.caption) === text),
    )
  }

  /**
   * Presses the button with that label and waits until the bot has answered the press.
   *
   * @returns What the answer says.
   */
  async function presses({ id: messageId }: { id: number }, label: string): Promise<string> {
    const button = buttonsOf(messageId)
      .flat()
      .find(({ text }) => text === label)
    if (button === undefined || !('callback_data' in button)) throw new Error(`No button ${label}`)
    const id = playground.presses({ userId: ANN, messageId, data: button.callback_data })
    const { text } = await playground.waitFor(({ pressed }) => pressed(id)?.answer)
    return text
  }

  /** The labels of the buttons that a message has by now, row by row. */
  function labels({ id }: { id: number }): string[][] {
    return buttonsOf(id).map((row) => row.map(({ text }) => text))
  }

  function buttonsOf(messageId: number) {
    const message = playground.transcript(ANN).find(({ id }) => id === messageId)
    const markup = message?.replyMarkup
    return markup && 'inline_keyboard' in markup ? markup.inline_keyboard : []
  }
}
