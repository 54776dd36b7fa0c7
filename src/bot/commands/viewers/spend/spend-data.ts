import type { ReportSpan } from '../../../spend/reports/span.ts'

const SPAN = '(today|7d|30d|month|all)'
const TARGET = `${SPAN}:(\\d{1,5})`
const ID = '(-?\\d{1,15})'

/** A press's data: the page and the span that it leads to, or is about. Old messages' buttons are read, too. */
export const LIST_DATA = new RegExp(`^spend:${TARGET}$`)
export const USER_DATA = new RegExp(`^spend-user:${TARGET}:${ID}$`)
export const FILE_DATA = new RegExp(`^spend-csv:${SPAN}$`)

/** Asks for the picture of the last 30 days. */
export const PICTURE_DATA = 'spend-picture'

/** A page of the list of users: what is shown, or what Back leads to. */
export interface ListTarget {
  span: ReportSpan
  page: number
}

/** A user's page, and where it was opened. */
export interface UserTarget extends ListTarget {
  userId: number
}

export function listData({ span, page }: ListTarget): string {
  return `spend:${span}:${page}`
}

export function userData({ span, page, userId }: UserTarget): string {
  return `spend-user:${span}:${page}:${userId}`
}

export function fileData(span: ReportSpan): string {
  return `spend-csv:${span}`
}

/** Reads the span, the page and, if there is one, the user's id that a pattern has found. */
export function toTarget([span, page, userId]: readonly (string | undefined)[]): UserTarget {
  return { span: span as ReportSpan, page: Number(page), userId: Number(userId ?? 0) }
}
