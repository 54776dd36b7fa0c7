import type { InlineKeyboardButton } from 'grammy/types'
import type { Command } from './command.ts'

/**
 * The buttons that turn the pages of a list, as rows of a keyboard: none where there is one page.
 *
 * @param dataOf The `callback_data` that stands for a page, which are counted from 0.
 */
export function pageTurns(
  { page, hasMore, t }: { page: number; hasMore: boolean; t: Command['t'] },
  dataOf: (page: number) => string,
): InlineKeyboardButton[][] {
  const turns = [
    ...(page > 0 ? [{ text: t('page-previous'), callback_data: dataOf(page - 1) }] : []),
    ...(hasMore ? [{ text: t('page-next'), callback_data: dataOf(page + 1) }] : []),
  ]
  return turns.length > 0 ? [turns] : []
}
