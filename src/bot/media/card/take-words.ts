import { type MediaKind, PROMPT_CHARS_MAX } from '../../../contract/tasks.ts'
import type { OrderCardState } from '../../../platform/database/generated/enums.ts'
import type { Texts } from '../../locales/texts.ts'
import type { LimitTexts } from '../../spend/limits/limit-texts.ts'
import type { Sender } from '../../telegram/addressing.ts'
import { messageOrigin } from '../../telegram/origin-key.ts'
import { complete, exists, labelOf } from '../catalog.ts'
import type { Reader } from '../option-texts.ts'
import { readWords, type WordsRead } from '../options/read-words.ts'
import type { MediaPrices } from '../order/prices.ts'
import type { MediaRules } from '../order/rules.ts'
import type { GivenPicture } from '../picture/read-picture.ts'
import type { Answered, CardMessages } from './card-messages.ts'
import { findDoubt, labelPrices } from './card-prices.ts'
import { type Card, type CardStore, cardOrigin, type NewCard } from './card-store.ts'
import { choiceKeyboard, doubtNotice, limitedView, viewOf } from './card-view.ts'
import type { MediaSettings } from './media-settings.ts'
import type { OrderCreation, Wish } from './order-creation.ts'
import type { OrderWithCard } from './order-with-card.ts'
import type { PrepareOrder } from './prepare-order.ts'
import { refusalText } from './refusal-text.ts'

/** A command, or a message that gives a card its words, with what was written in it. */
export interface GivenWords extends Answered {
  user: Sender
  text: string
  picture: GivenPicture | undefined
}

/** The card that a message gives the words to. */
export interface AskingCard {
  card: Card
  looseWords: string | null
}

export interface TakeWordsDeps {
  store: Pick<CardStore, 'insert' | 'isOpened' | 'change'>
  settings: Pick<MediaSettings, 'read'>
  prepare: PrepareOrder
  creation: Pick<OrderCreation, 'create' | 'hasJustOrdered'>
  orderWith: OrderWithCard['orderWith']
  prices: Pick<MediaPrices, 'ready' | 'priceOf' | 'isOffered'>
  rules: Pick<MediaRules, 'read'>
  messages: Pick<CardMessages, 'show' | 'say'>
  limitTexts: LimitTexts
  texts: Texts
}

/**
 * Orders what somebody wrote, with what they chose before. Where that is not sure it asks on a card: for the
 * words, for one of what exists, for a yes to the price, whether the words are an order at all.
 */
export function createTakeWords(deps: TakeWordsDeps) {
  const { store, settings, prepare, creation, orderWith, prices, rules, messages, texts } = deps
  return { take }

  /** Safe to repeat: a message makes one order, or one card. */
  async function take(kind: MediaKind, given: GivenWords, asking?: AskingCard): Promise<boolean> {
    const { user, chatId, threadId, messageId } = given
    const { card, looseWords = null } = asking ?? {}
    const picture = given.picture ?? card?.picture
    await prices.ready()
    const chosen = card?.options ?? (await settings.read(user.id, kind))
    const read = readWords(kind, given.text, chosen)
    const length = lengthOf(read)
    const limit = PROMPT_CHARS_MAX
    const refuse = async (text: string) => {
      if (looseWords !== null) return false
      await messages.say(given, text)
      return true
    }
    if (length > limit) {
      return refuse(texts.t(user.languageCode, 'media-too-long', { length, limit }))
    }
    const options = complete(kind, { ...chosen, ...read.options })
    const hasWords = read.prompt !== ''
    const prepared = await prepare({ kind, user, picture, ...(hasWords && { options }) })
    if (prepared.status === 'refused') {
      return refuse(refusalText(kind, prepared, { ...user, texts }))
    }
    const asked: Asked = {
      kind,
      user,
      chatId,
      threadId,
      picture,
      prompt: hasWords ? read.prompt : null,
      options: hasWords || exists(kind, options) ? options : chosen,
      originKey: messageOrigin(chatId, messageId),
      replyToMessageId: messageId,
      literalPrompt: read.literalPrompt ?? null,
      looseWords: hasWords ? looseWords : null,
    }
    const step = await findStep(asked, read, card)
    if (step.state === 'ordered' && card === undefined) {
      // One that came before may have been asked about, and the reason be over.
      const isAsked = await store.isOpened(asked.originKey)
      const wish = { ...asked, prompt: read.prompt, imageUrl: prepared.imageUrl }
      if (!isAsked) await orderAtOnce(wish)
      return true
    }
    const next = await put({ ...asked, state: step.state }, card)
    if (next !== undefined) await showOrOrder(next, { read, notice: step.notice, ...prepared })
    return true
  }

  async function findStep(
    asked: Asked,
    read: WordsRead,
    card: Card | undefined,
  ): Promise<{ state: OrderCardState; notice?: string | undefined }> {
    const { kind, options, prompt, picture, user } = asked
    const question = questionText(read, { ...user, texts })
    if (prompt === null) return { state: 'words', notice: question }
    const isOpen = read.questions.some((one) => picture === undefined || !isShape(one))
    if (isOpen) return { state: 'choice', notice: question }
    const asksShape = read.options.shape !== undefined || read.questions.some(isShape)
    if (picture !== undefined && asksShape) {
      return { state: 'confirmation', notice: texts.t(user.languageCode, 'card-own-shape') }
    }
    const label = labelOf(kind, options)
    const microRub = prices.priceOf(label)
    const { confirmFromMicroRub } = await rules.read()
    const doubt = findDoubt({
      microRub,
      shownMicroRub: card ? (card.shownPrices.get(label) ?? undefined) : microRub,
      confirmFromMicroRub,
      isSecond: await creation.hasJustOrdered({
        userId: user.id,
        originKey: card ? cardOrigin(card.id) : asked.originKey,
      }),
    })
    if (doubt !== undefined) {
      return { state: 'confirmation', notice: doubtNotice(doubt, { user }, texts) }
    }
    return { state: asked.looseWords === null ? 'ordered' : 'confirmation' }
  }

  async function put(
    { originKey, ...asked }: Asked & Pick<Card, 'state'>,
    card: Card | undefined,
  ): Promise<Card | undefined> {
    const shownPrices = labelPrices(asked.kind, prices)
    if (card === undefined) {
      const stored = await store.insert({ ...asked, originKey, shownPrices, wordsMessageId: null })
      return stored.cardMessageId === undefined ? stored : undefined
    }
    const { state, options, prompt, literalPrompt, looseWords, picture, replyToMessageId } = asked
    const isOver = state !== 'words'
    const words = { prompt, literalPrompt, looseWords, picture, replyToMessageId }
    const change = {
      state,
      options,
      shownPrices,
      ...(isOver && { ...words, wordsMessageId: replyToMessageId }),
    }
    const found = await store.change(card.id, (now) => {
      if (now.state === 'words') return { type: 'given', change }
      return { type: now.wordsMessageId === replyToMessageId ? 'repeated' : 'late' }
    })
    return found?.decision.type === 'late' ? undefined : found?.card
  }

  async function showOrOrder(
    card: Card,
    { read, notice, imageUrl }: { read: WordsRead; notice: string | undefined } & Prepared,
  ): Promise<void> {
    switch (card.state) {
      case 'ordered':
        return orderWith(card, imageUrl)
      case 'choice': {
        const { text } = viewOf(card, texts, notice)
        return messages.show(card, { text, keyboard: choiceKeyboard(card, read.choices, texts) })
      }
      case 'words':
      case 'confirmation':
        return messages.show(card, viewOf(card, texts, notice))
      case 'dropped':
        return
    }
  }

  async function orderAtOnce({ picture, ...wish }: Wish & Pick<Card, 'picture'>): Promise<void> {
    const outcome = await creation.create(wish)
    if (outcome.status === 'created') return
    const none = { literalPrompt: null, looseWords: null }
    const card = await put({ ...wish, ...none, picture, state: 'confirmation' }, undefined)
    if (card !== undefined) await messages.show(card, limitedView(card, outcome.refusal, deps))
  }
}

type Prepared = Pick<Wish, 'imageUrl'>

/** Counts code points; what may be an option counts as words. */
function lengthOf({ prompt, literalPrompt = prompt }: WordsRead): number {
  return [...literalPrompt].length
}

function isShape({ name }: WordsRead['questions'][number]): boolean {
  return name === 'shape'
}

/** A wish as a card keeps it: its picture as it was given, since it is copied again when it is ordered. */
type Asked = Omit<NewCard, 'state' | 'shownPrices' | 'wordsMessageId'>

const TEXTS = {
  no_value: 'card-question-no-value',
  no_pair: 'card-question-no-pair',
  contradiction: 'card-question-contradiction',
  unclear: 'card-question-unclear',
} as const

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
