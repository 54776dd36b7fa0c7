import { describeRate } from '../../process/describe-models.ts'
import type { ListedModel, ListedModels } from '../../service/config/openai/list-models.ts'
import { type OfferedModel, offerModels } from '../../service/config/openai/offer-models.ts'
import type { PriceBook } from '../../service/config/openai/price-book.ts'
import { formatUsd } from '../../service/config/openai/usd.ts'
import { type OpenAiSettings, parsePrices } from '../../service/config/openai/variables.ts'
import { writeTable } from '../command-line/write-output.ts'
import type { Conversation } from './conversation.ts'

const FOUND_MAX = 40

/** The chosen models with their prices, and the settings that offer them. */
export interface ChosenModels {
  models: readonly OfferedModel[]
  settings: OpenAiSettings
  isUsual: boolean
}

/** The models that an upstream lists, and the book of prices that it does not list. */
type Listed = Extract<ListedModels, { ok: true }> & { book: PriceBook | undefined }

/** Shows the listed models, asks which to offer, and asks for unknown prices. */
export async function askModels(
  conversation: Conversation,
  given: OpenAiSettings,
  whole: Listed,
): Promise<ChosenModels> {
  const { say, ask } = conversation
  const list = { ...whole, models: whole.models.filter(isNameable) }
  const proposed = proposeModels(given, list)
  say(describeProposal(proposed, given, list))
  const ids = await askIds()
  let settings: OpenAiSettings = { ...given, models: ids }
  for (;;) {
    const offer = offerModels(settings, list, { book: list.book })
    if (offer.ok) {
      const { models } = offer
      return { models, settings, isUsual: isUsual(ids, settings, list) }
    }
    const [unpriced] = offer.unpriced
    // All chosen models are listed, so only a price can be missing.
    if (unpriced === undefined) throw new TypeError(offer.problem)
    const prices = new Map([...settings.prices, ...(await askPrice(unpriced))])
    settings = { ...settings, prices }
  }

  async function askIds(): Promise<readonly string[]> {
    const enter = proposed.length === 0 ? '' : 'Enter: all of these; '
    for (;;) {
      const answer = await ask(
        `Which? (${enter}numbers or names, separated by commas; ? and a word searches the list)`,
      )
      if (answer.startsWith('?')) {
        say(describeFound(answer.slice(1).trim(), given, list))
        continue
      }
      const ids = answer === '' ? proposed : readIds(answer, proposed)
      const unknown = ids.filter((id) => !list.models.some((model) => model.id === id))
      if (ids.length > 0 && unknown.length === 0) return ids
      if (unknown.length > 0) say(`The upstream does not list ${unknown.join(', ')}.`)
    }
  }

  async function askPrice(id: string): Promise<OpenAiSettings['prices']> {
    for (;;) {
      const answer = await ask(
        `The price of ${id} is unknown. Dollars per 1 million tokens in and out, like 0.25/2, or free`,
      )
      const prices = parsePrices(`${id}=${answer}`)
      if (prices !== undefined) return prices
    }
  }
}

/** A name with a comma cannot be in a list of names, only in SERVICE_CONFIG. */
function isNameable({ id }: ListedModel): boolean {
  return !id.includes(',')
}

function proposeModels(settings: OpenAiSettings, list: Listed): readonly string[] {
  const isListed = (id: string) => list.models.some((model) => model.id === id)
  if (settings.models?.every(isListed)) return settings.models
  const usual = offerModels({ ...settings, models: undefined }, list, { book: list.book })
  return usual.ok ? usual.models.map(({ config }) => config.id) : usual.unpriced
}

function isUsual(ids: readonly string[], settings: OpenAiSettings, list: Listed): boolean {
  const usual = offerModels({ ...settings, models: undefined }, list, { book: list.book })
  return usual.ok && usual.models.map(({ config }) => config.id).join() === ids.join()
}

function readIds(answer: string, proposed: readonly string[]): readonly string[] {
  const parts = answer
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
  return [...new Set(parts.map((part) => proposed[Number(part) - 1] ?? part))]
}

function describeProposal(
  proposed: readonly string[],
  settings: OpenAiSettings,
  list: Listed,
): string {
  const chats = list.models.filter(({ isChat }) => isChat).length
  const count = `Models listed: ${list.models.length}; for chats: ${chats}.`
  if (proposed.length === 0) return count
  return `${count} To offer, at prices per 1 million tokens:

${writeModels(proposed, settings, list)}

${describeRate(settings)}`
}

function describeFound(words: string, settings: OpenAiSettings, list: Listed): string {
  const wanted = words.toLowerCase()
  const ids = list.models.map(({ id }) => id).filter((id) => id.toLowerCase().includes(wanted))
  if (ids.length === 0) return `No listed model has ${words} in its name.`
  const table = writeModels(ids.slice(0, FOUND_MAX), settings, list, { isNumbered: false })
  const more = ids.length - FOUND_MAX
  return more > 0 ? `${table}\nand ${more} more: add a word` : table
}

function writeModels(
  ids: readonly string[],
  settings: OpenAiSettings,
  list: Listed,
  { isNumbered } = { isNumbered: true },
): string {
  const columns = [
    { head: ' ', isNumber: true },
    { head: 'model' },
    ...['$ in', '$ out', '₽ in', '₽ out'].map((head) => ({ head, isNumber: true })),
  ]
  const rows = ids.map((id, index) => [
    isNumbered ? `${index + 1}` : '',
    id,
    ...writePrices(id, settings, list),
  ])
  return writeTable(columns, rows)
}

function writePrices(id: string, settings: OpenAiSettings, list: Listed): readonly string[] {
  const offer = offerModels({ ...settings, models: [id] }, list, { book: list.book })
  const [model] = offer.ok ? offer.models : []
  if (model === undefined) return ['?', '?', '?', '?']
  const { config, usd } = model
  return [
    formatUsd(usd.prompt),
    formatUsd(usd.completion),
    config.prompt_rub_per_1m,
    config.completion_rub_per_1m,
  ]
}
