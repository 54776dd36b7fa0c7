import type { MediaKind } from '../../../contract/media.ts'
import { PROMPT_CHARS_MAX } from '../../../contract/video.ts'
import type { Texts, TextVariables } from '../../locales/texts.ts'
import type { LimitRefusal } from '../../spend/limits/limit-refusal.ts'
import type { LimitTexts } from '../../spend/limits/limit-texts.ts'
import type { Sender } from '../../telegram/addressing/sender.ts'
import { messageOrigin } from '../../telegram/origin-key.ts'
import { complete, exists, labelOf, type MediaOptions } from '../options/catalog.ts'
import type { Reader } from '../options/option-texts.ts'
import { readWords, type WordsRead } from '../options/read-words.ts'
import type { MediaPrices } from '../order/prices.ts'
import type { MediaRules } from '../order/rules.ts'
import type { GivenPicture } from '../picture/read-picture.ts'
import type { Answered, CardMessages } from './card-messages.ts'
import { findPriceDoubt, labelPrices } from './card-prices.ts'
import type { Card, CardStore, NewCard } from './card-store.ts'
import { choiceKeyboard, limitedView, viewOf } from './card-view.ts'
import type { MediaSettings } from './media-settings.ts'
import type { OrderCreation, Wish } from './order-creation.ts'
import type { PrepareOrder } from './prepare-order.ts'
import { refusalText } from './refusal-text.ts'

/** A command, or a reply to a card, with what was written in it. */
export interface GivenWords extends Answered {
  user: Sender
  text: string
  picture: GivenPicture | undefined
}

export interface TakeWordsDeps {
  store: Pick<CardStore, 'insert' | 'takeWords'>
  settings: Pick<MediaSettings, 'read'>
  prepare: PrepareOrder
  creation: Pick<OrderCreation, 'create'>
  prices: Pick<MediaPrices, 'ready' | 'priceOf' | 'isOffered'>
  rules: Pick<MediaRules, 'read'>
  messages: Pick<CardMessages, 'show' | 'say'>
  limitTexts: LimitTexts
  texts: Texts
}

/**
 * Orders what somebody wrote, with what they chose before. Where that is not sure it asks on a card: for the
 * words, for one of what exists, for a yes to the price.
 */
export function createTakeWords(deps: TakeWordsDeps) {
  const { store, settings, prepare, creation, prices, rules, messages, texts } = deps
  return { take }

  /**
   * Safe to repeat: a message makes one order, or one card.
   *
   * @param card The one that the words answer; it says what is chosen.
   */
  async function take(kind: MediaKind, given: GivenWords, card?: Card): Promise<void> {
    const { user, chatId, threadId, messageId } = given
    const picture = given.picture ?? card?.picture
    await prices.ready()
    const chosen = card?.options ?? (await settings.read(user.id, kind))
    const read = readWords(kind, given.text, chosen)
    const length = lengthOf(read)
    const limit = PROMPT_CHARS_MAX
    if (length > limit) return say(given, 'media-too-long', { length, limit })
    const options = complete(kind, { ...chosen, ...read.options })
    const hasWords = read.prompt !== ''
    const prepared = await prepare({ kind, user, picture, ...(hasWords && { options }) })
    if (prepared.status === 'refused') {
      return void (await messages.say(given, refusalText(kind, prepared, { ...user, texts })))
    }
    const asked: Asked = {
      kind,
      user,
      chatId,
      threadId,
      picture,
      prompt: read.prompt,
      options,
      originKey: messageOrigin(chatId, messageId),
      replyToMessageId: messageId,
    }
    if (!hasWords) return askForWords(asked, { chosen, read })
    const asksShape = read.options.shape !== undefined || read.questions.some(isShape)
    const hasOwnShape = picture !== undefined && asksShape
    const isOpen = read.questions.some((question) => picture === undefined || !isShape(question))
    if (isOpen) return askForChoice(asked, read)
    const doubt = await findDoubt(asked, { card, hasOwnShape })
    if (doubt !== undefined) return askToConfirm(asked, doubt)
    const outcome = await creation.create({ ...asked, imageUrl: prepared.imageUrl })
    if (outcome.status === 'refused') await keepForLater(asked, outcome.refusal)
  }

  /** @param chosen What the card ticks where what was written does not exist. */
  async function askForWords(
    { options, ...asked }: Asked,
    { chosen, read }: { chosen: MediaOptions; read: WordsRead },
  ): Promise<void> {
    const ticked = exists(asked.kind, options) ? options : chosen
    const card = await open({ ...asked, state: 'words', options: ticked, prompt: null })
    await messages.show(card, viewOf(card, texts, questionText(read, { ...asked.user, texts })))
  }

  async function askForChoice(asked: Asked, read: WordsRead): Promise<void> {
    const { literalPrompt = null } = read
    const card = await open({ ...asked, state: 'choice', literalPrompt })
    const { text } = viewOf(card, texts, questionText(read, { ...asked.user, texts }))
    await messages.show(card, { text, keyboard: choiceKeyboard(card, read.choices, texts) })
  }

  async function askToConfirm(asked: Asked, { notice }: Doubt): Promise<void> {
    const card = await open({ ...asked, state: 'confirmation' })
    await messages.show(card, viewOf(card, texts, notice))
  }

  /** A limit left no room: the words stay on a card, which can be ordered with. */
  async function keepForLater(asked: Asked, refusal: LimitRefusal): Promise<void> {
    const card = await open({ ...asked, state: 'confirmation' })
    await messages.show(card, limitedView(card, refusal, deps))
  }

  function open(card: Omit<NewCard, 'shownPrices' | 'literalPrompt'> & Partial<NewCard>) {
    const shownPrices = labelPrices(card.kind, prices)
    return store.insert({ literalPrompt: null, shownPrices, ...card })
  }

  /** Why an order is confirmed first; undefined where it need not be. */
  async function findDoubt(
    { kind, options, replyToMessageId, user }: Asked,
    { card, hasOwnShape }: { card: Card | undefined; hasOwnShape: boolean },
  ): Promise<Doubt | undefined> {
    const { confirmAboveMicroRub } = await rules.read()
    const because = (key: string) => ({ notice: texts.t(user.languageCode, key) })
    if (hasOwnShape) return because('card-own-shape')
    const label = labelOf(kind, options)
    const microRub = prices.priceOf(label)?.microRub
    const shownMicroRub = card ? card.shownPrices.get(label)?.microRub : microRub
    switch (findPriceDoubt({ microRub, shownMicroRub, confirmAboveMicroRub })) {
      case 'new_price':
        return because('card-price-changed')
      case 'high_price':
        return { notice: undefined }
      case undefined: {
        const isFirst = card === undefined || (await store.takeWords(card.id, replyToMessageId))
        return isFirst ? undefined : because('card-again')
      }
    }
  }

  async function say(given: GivenWords, key: string, variables?: TextVariables): Promise<void> {
    await messages.say(given, texts.t(given.user.languageCode, key, variables))
  }
}

/** Counts code points; what may be an option counts as words. */
function lengthOf({ prompt, literalPrompt = prompt }: WordsRead): number {
  return [...literalPrompt].length
}

function isShape({ name }: WordsRead['questions'][number]): boolean {
  return name === 'shape'
}

/** A wish whose picture a card keeps as it was given: it is copied again when it is ordered. */
type Asked = Omit<Wish, 'imageUrl'> & { picture: GivenPicture | undefined }

interface Doubt {
  /** A sentence before the price, if there is more than that. */
  notice: string | undefined
}

const TEXTS = {
  no_value: 'card-question-no-value',
  no_pair: 'card-question-no-pair',
  contradiction: 'card-question-contradiction',
  unclear: 'card-question-unclear',
} as const

/** Why what was written cannot be ordered as it is, a line for each reason; undefined for none. */
function questionText(
  { questions }: WordsRead,
  { languageCode, texts }: Reader,
): string | undefined {
  const byReason = Object.entries(Object.groupBy(questions, ({ reason }) => reason))
  const lines = byReason.map(([reason, ofReason]) => {
    const written = ofReason.flatMap((question) => question.written)
    const key = TEXTS[reason as keyof typeof TEXTS]
    return texts.t(languageCode, key, { count: written.length, written: written.join(', ') })
  })
  return lines.length === 0 ? undefined : lines.join('\n')
}
