import { countIn } from '../../../../../platform/page/plural.ts'

const inEnglish = countIn('en')
const inRussian = countIn('ru')

const en = {
  total: {
    today: 'Spent today',
    '7d': 'Spent in 7 days',
    '30d': 'Spent in 30 days',
    month: 'Spent this month',
    all: 'Spent in total',
  },
  charges: (n: number) => inEnglish(n, { one: 'charge', other: 'charges' }),
  perCharge: (amount: string) => `${amount} each on average`,
  estimated: 'Estimates',
  writtenOff: 'Written off',
  history: 'Re-sent history',
  ofSum: (share: string) => `${share} of the sum`,
  notInSum: 'not in the sum',
  byDay: 'By day',
  average: (amount: string) => `${amount} a day on average`,
  byKind: 'By kind',
  seconds: (n: number) => `${n} s`,
  byModel: 'By model',
  topUsers: 'Top spenders',
  rest: (n: number) => inEnglish(n, { one: 'other user', other: 'other users' }),
  sum: 'Sum',
  day: 'Day',
  amount: 'Amount',
  asTable: 'As a table',
  chart: (from: string, to: string) =>
    `Spend by day, ${from} to ${to}. The table below has the figures.`,
  nothing: 'No spend',
  nothingYet: 'The first answer will show here.',
  nothingFound: 'Nothing matches these filters.',
  filters: 'Filters',
  kind: 'Kind',
  model: 'Model',
  user: 'User',
  clear: 'Clear the filters',
  csv: 'CSV',
  csvLabel: 'Download these charges as CSV',
  only: (what: string) => `Show only ${what}`,
}

const ru: typeof en = {
  total: {
    today: 'Потрачено сегодня',
    '7d': 'Потрачено за 7 дней',
    '30d': 'Потрачено за 30 дней',
    month: 'Потрачено за месяц',
    all: 'Потрачено за всё время',
  },
  charges: (n) => inRussian(n, { one: 'списание', few: 'списания', other: 'списаний' }),
  perCharge: (amount) => `в среднем по ${amount}`,
  estimated: 'Оценки',
  writtenOff: 'Убыток',
  history: 'Повторная отправка истории',
  ofSum: (share) => `${share} суммы`,
  notInSum: 'в сумму не входит',
  byDay: 'По дням',
  average: (amount) => `в среднем ${amount} в день`,
  byKind: 'По видам',
  seconds: (n) => `${n} с`,
  byModel: 'По моделям',
  topUsers: 'Больше всех потратили',
  rest: (n) =>
    `ещё ${inRussian(n, { one: 'пользователь', few: 'пользователя', other: 'пользователей' })}`,
  sum: 'Всего',
  day: 'День',
  amount: 'Сумма',
  asTable: 'Таблицей',
  chart: (from, to) => `Расходы по дням, с ${from} по ${to}. Числа — в таблице ниже.`,
  nothing: 'Расходов не было',
  nothingYet: 'Здесь появится первый ответ.',
  nothingFound: 'С такими фильтрами ничего не нашлось.',
  filters: 'Фильтры',
  kind: 'Вид',
  model: 'Модель',
  user: 'Кто',
  clear: 'Сбросить фильтры',
  csv: 'CSV',
  csvLabel: 'Скачать эти списания в CSV',
  only: (what) => `Показать только: ${what}`,
}

/** Words of what was spent: its sums, charts and filters. */
export const spendWords = { en, ru }
