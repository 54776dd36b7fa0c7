import type { RichNeed } from '../../../src/bot/rich-text/blocks.ts'

/** An answer as models write them, with what it has to be a rich message for. */
export interface CorpusAnswer {
  kind: 'prose' | 'list' | 'quote' | 'code' | 'headings' | 'tasks' | 'table' | 'formula'
  text: string
  needs: readonly RichNeed[]
}

const PARAGRAPH =
  'Инфляция — это **общий рост цен**: на те же деньги со временем можно купить меньше. Представьте магазин, где мороженое стоило 50 ₽, а через год — 60 ₽.'
const LONG = Array.from({ length: 22 }, (_, index) => `${index + 1}) ${PARAGRAPH}`).join('\n\n')

const PROSE = [
  'Да.',
  'The capital of Australia is **Canberra**, not Sydney.',
  `${PARAGRAPH}\n\nТак бывает, когда денег становится больше, а товаров — *столько же*.`,
  'It costs $5 to $6, about ~20% more; use `a || b`, snake_case and 2 * 3 * 4 as they are.',
  'See [the guide](https://docs.example.org/guide_v2?a=1&b=2) or https://example.com/path?q=1.',
  'Вода — H<sub>2</sub>O, площадь — 25 м<sup>2</sup>; <b>жирно</b> и <u>подчёркнуто</u>.',
  'R&D and AT&T: a < b, and [0, 1) is half open. ~~Old~~ new. Mail me at anna@example.org.',
  '# Короткий ответ\n\nНет, это **не** обязательно.\n\n# Почему\n\nЗакон этого не требует.',
  LONG,
  'Строка один\nСтрока два  \nСтрока три\n\n---\n\nКонец.',
]

const LISTS = [
  '1. Купите билеты.\n2. Забронируйте отель.\n3. Возьмите паспорт.',
  '- **Плюсы:** быстро и дёшево\n- **Минусы:** шумно\n  - особенно ночью\n  - и утром',
  `Вот что нужно сделать:\n\n${Array.from({ length: 40 }, (_, index) => `- пункт ${index + 1}: ещё несколько слов`).join('\n')}`,
  '1. Установите пакет:\n\n   ```bash\n   npm install vitest\n   ```\n\n2. Запустите `npm test`.',
  'Two lists:\n\n* one\n* two\n\nand\n\n3) three\n4) four',
]

const QUOTES = [
  '> Быть или не быть — вот в чём вопрос.\n\nТак начинается монолог Гамлета.',
  '> Цитата с **жирным**\n> и второй строкой.\n>\n> - и списком\n> - из двух пунктов',
  'He wrote:\n\n> We hold these truths\n> > to be self-evident\n\nand signed it.',
]

const CODE = [
  'Use this:\n\n```python\ndef greet(name):\n    """Says hello."""\n    print(f"Hello, {name}!")\n\n\ngreet("мир")\n```\n\nIt prints a greeting.',
  '```ts\nconst total = items.filter((item) => item.isPaid || item.isFree)\n```',
  '```bash\nfor file in *.txt; do echo "$file" | grep -c \'# x\'; done\n```\n\nHere `$file` is a name, `$PATH` is not.',
  `\`\`\`js\n${Array.from({ length: 120 }, (_, index) => `console.log("line ${index} | of $x$")`).join('\n')}\n\`\`\`\n\nDone.`,
  '~~~~md\n| a | b |\n|---|---|\n```js\nnested()\n```\n~~~~\n\nThat is how a table is written.',
  '    indented code\n    - [ ] not a task\n\nand text',
]

const HEADINGS = [
  '## План\n\nПервое.\n\n## Бюджет\n\nВторое.',
  '# Отчёт\n\n## Доходы\n\nРастут.\n\n## Расходы\n\nПадают.',
  '### Step 1\n\nDo it.\n\n#### Details\n\nLike this.\n\n### Step 2\n\nDo that.',
]

const TASKS = [
  '- [ ] сделать раз\n- [x] сделать два',
  'Before the trip:\n\n1. [ ] passport\n2. [x] tickets\n\nHave fun.',
]

const TABLES = [
  '| Язык | Год | Пример |\n|:-----|:---:|-------:|\n| Python | 1991 | `print(1)` |\n| C | 1972 | `a \\| b` |\n| Rust | **2015** | нет |',
  'Сравним:\n\n| | Город | Дача |\n|---|---|---|\n| Шум | есть | нет |\n| Дорога | 10 мин | два часа, а в пятницу вечером и все три |\n\nВыбирать вам.',
  `Prices:\n\n| Item | Price |\n|---|--:|\n${Array.from({ length: 30 }, (_, index) => `| item ${index} | ₽${index * 7} |`).join('\n')}`,
  `| ${Array.from({ length: 22 }, (_, index) => `c${index}`).join(' | ')} |\n|${'---|'.repeat(22)}\n| ${Array.from({ length: 22 }, (_, index) => index).join(' | ')} |`,
  '> | a | b |\n> |---|---|\n> | 1 | 2 |',
  `${PARAGRAPH}\n\n| Год | Цена |\n|---|---|\n| 2024 | 50 ₽ |\n| 2025 | 60 ₽ |\n\n${PARAGRAPH}`,
]

const FORMULAS = [
  'Формула $E = mc^2$ известна всем, а $\\sqrt{x}$ — почти всем.',
  'The roots are\n\n$$x = \\frac{-b \\pm \\sqrt{b^2 - 4ac}}{2a}$$\n\nif $a \\ne 0$.',
  'Иначе \\(a_1 \\le \\frac{b}{2}\\), и тогда\n\n\\[\n\\sum_{i=1}^{n} i = \\frac{n(n+1)}{2}\n\\]',
  '$$\n\\begin{pmatrix} 1 & 2 \\\\ 3 & 4 \\end{pmatrix}\n$$\n\nis a matrix.',
  'По определению \\[ f(x) = \\begin{cases} 1, & x > 0 \\\\ 0, & x \\le 0 \\end{cases} \\] — ступенька.',
  'Чертёж: $\\unknowncommand{x}{y}$, а рядом $\\vec{v} \\cdot \\hat{n} = \\cos\\alpha$.',
]

const NEEDS: Partial<Record<string, readonly RichNeed[]>> = {
  [HEADINGS[1] ?? '']: ['headings'],
  [HEADINGS[2] ?? '']: ['headings'],
  // It has more columns than Telegram takes, and is shown as code.
  [TABLES[3] ?? '']: [],
}

/** Answers of all kinds. */
export const CORPUS: readonly CorpusAnswer[] = [
  ...answers('prose', PROSE),
  ...answers('list', LISTS),
  ...answers('quote', QUOTES),
  ...answers('code', CODE),
  ...answers('headings', HEADINGS),
  ...answers('tasks', TASKS, ['tasks']),
  ...answers('table', TABLES, ['table']),
  ...answers('formula', FORMULAS, ['formula']),
]

function answers(
  kind: CorpusAnswer['kind'],
  texts: readonly string[],
  needs: readonly RichNeed[] = [],
): CorpusAnswer[] {
  return texts.map((text) => ({ kind, text, needs: NEEDS[text] ?? needs }))
}
