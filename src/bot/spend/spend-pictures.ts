import type { Logger } from 'pino'
import { errorFacts } from '../telegram/error-facts.ts'
import { shortenLine } from '../texts/shorten.ts'
import { type Texts, toLanguage } from '../texts/texts.ts'
import { type ChartDrawing, ChartNotDrawnError } from './draw-chart.ts'
import type { Overview, Reports } from './reports.ts'
import { CHART_KINDS, type SpendChart, sumKinds } from './spend-chart.ts'

const USERS_SHOWN = 10

export interface SpendPicturesDeps {
  reports: Pick<Reports, 'overview'>
  drawing: ChartDrawing
  texts: Texts
  log: Logger
}

/**
 * Draws the spend of the last 30 days, by day and kind, as a PNG. A picture that cannot be drawn within a few
 * seconds is undefined, and its text goes without it.
 */
export function createSpendPictures({ reports, drawing, texts, log }: SpendPicturesDeps) {
  return { ofUser, ofAll }

  async function ofUser(
    userId: bigint | number,
    languageCode: string | undefined,
  ): Promise<Uint8Array | undefined> {
    const { byDay } = await reports.overview({ span: '30d', userId }, { skip: 0, take: 0 })
    if (sumKinds({ days: byDay }).length === 0) return undefined
    return draw({ days: byDay, ...wordsOf('chart-own', languageCode) })
  }

  async function ofAll(languageCode: string | undefined): Promise<Uint8Array | undefined> {
    const page = { skip: 0, take: USERS_SHOWN }
    const overview = await reports.overview({ span: '30d' }, page)
    const users = {
      title: texts.t(languageCode, 'chart-users'),
      rows: rowsOf(overview, languageCode),
    }
    return draw({ days: overview.byDay, ...wordsOf('chart-all', languageCode), users })
  }

  async function draw(chart: SpendChart): Promise<Uint8Array | undefined> {
    try {
      return await drawing.draw(chart)
    } catch (error) {
      if (!(error instanceof ChartNotDrawnError)) throw error
      log.warn(errorFacts(error), 'picture of spend not drawn')
      return undefined
    }
  }

  function wordsOf(titleKey: string, languageCode: string | undefined) {
    const kinds = CHART_KINDS.map((kind) => {
      const name = texts.t(languageCode, 'spend-kind', { kind })
      return [kind, name.charAt(0).toUpperCase() + name.slice(1)]
    })
    return {
      language: toLanguage(languageCode),
      title: texts.t(languageCode, titleKey),
      emptyText: texts.t(languageCode, 'chart-empty'),
      kindNames: Object.fromEntries(kinds) as SpendChart['kindNames'],
    }
  }

  function rowsOf({ users, rest }: Overview, languageCode: string | undefined) {
    const rows = users.map(({ user, spend: { amountMicroRub } }) => ({
      name: drawnName(user),
      amountMicroRub,
    }))
    if (rest.users === 0) return rows
    const name = texts.t(languageCode, 'chart-rest', { count: rest.users })
    return [...rows, { name, amountMicroRub: rest.spend.amountMicroRub }]
  }
}

export type SpendPictures = ReturnType<typeof createSpendPictures>

const NAME_CHARS_MAX = 40

/** Characters that the font lacks: emoji, and scripts beside Latin and Cyrillic. */
const NOT_DRAWN = /[^\u0020-\u007e\u00a0-\u017f\u0400-\u04ff\u2010-\u2026]/gu

function drawnName({
  id,
  firstName,
  username,
}: {
  id: bigint
  firstName: string
  username: string | null
}): string {
  // Letters in fancy dress are plain ones after this.
  const plain = firstName.normalize('NFKC').replace(NOT_DRAWN, '')
  const name = shortenLine(plain, NAME_CHARS_MAX)
  // Of an emoji of several signs marks may be left.
  if (/[\p{L}\p{N}]/u.test(name)) return name
  return username === null ? `id ${id}` : `@${username}`
}
