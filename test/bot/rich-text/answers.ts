function createRandom(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 1
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0
    return ((state ^ (state >>> 13)) >>> 0) % below
  }
}

const SENTENCES = [
  'Это **важный** шаг, без него ничего не выйдет.',
  'The function returns `undefined` if the key is missing.',
  'Цена выросла с $5 до $6, то есть примерно на ~20%.',
  'Подробнее — в [документации](https://docs.example.org/guide_v2?a=1&b=2).',
  'Use *either* `a || b` or a == b, but never both at once.',
  'Формула $E = mc^2$ известна всем, а $\\sqrt{x}$ — почти всем.',
  'Иначе \\(a_1 \\le \\frac{b}{2}\\), а \\[ c = 0 \\] верно не всегда \\[2\\].',
  'Он сказал: «**Хорошо**, пусть будет так» — и ушёл.',
  'Set the `PATH_TO_FILE` variable, then run snake_case_name again.',
  'Кстати, H<sub>2</sub>O и x<sup>2</sup> пишутся так, а <b>это</b> жирно.',
  'See https://example.com/path?q=1 for the ~~old~~ new version.',
  'Если a < b и b > c, то [0, 1) — полуинтервал.',
  '***Очень важно:*** не путайте R&D и AT&T.',
]

const CODE = [
  '```python\ndef greet(name):\n    """Says hello."""\n    print(f"Hello, {name}!")\n\n\ngreet("мир")\n```',
  '```ts\nconst total = items.filter((item) => item.isPaid || item.isFree)\n  .map(({ price }) => `$' +
    '{price}`)\n```',
  '```bash\nfor file in *.txt; do echo "$file" | grep -c \'# x\'; done\n```',
  '```\nplain text, no language\n\t* tab and star\n```',
  '~~~~md\n```js\nnested()\n```\n~~~~',
]

const BLOCKS = [
  '| Язык | Год | Пример |\n|:-----|:---:|-------:|\n| Python | 1991 | `print(1)` |\n| C | 1972 | `a \\| b` |\n| Rust | **2015** | нет |',
  '| a | b |\n|---|---|\n| 1 | 2 |\n| $x$ | [c](https://example.com) |',
  '$$\n\\int_0^1 x^2\\,dx = \\frac{1}{3}\n$$',
  '\\[\nx = \\begin{cases} 1 \\\\[2pt]\n- 1 \\end{cases}\n\\]',
  'Итак:\n\\[ n! = \\prod_{k=1}^n k \\]\nи всё.',
  '$$a^2 + b^2 = c^2$$',
  '> Цитата с **жирным**\n> и второй строкой.\n>\n> - и списком\n> - из двух пунктов',
  '---',
  '<div class="note">\n  <p>Some HTML</p>\n</div>',
  '- [ ] сделать раз\n- [x] сделать два',
  'Заголовок снизу\n===============',
  '![Схема](https://example.com/scheme.png)',
  'Строка один\nСтрока два  \nСтрока три',
]

/** An answer as models write them, always the same for a seed. */
export function makeAnswer(seed: number, charsMin: number): string {
  const random = createRandom(seed)
  const blocks: string[] = []
  for (let chars = 0; chars < charsMin; chars += blocks.at(-1)?.length ?? 0) {
    blocks.push(makeBlock())
  }
  return blocks.join('\n\n')

  function makeBlock(): string {
    const kind = random(10)
    if (kind === 0) return `${'#'.repeat(random(4) + 1)} ${pick(SENTENCES)}`
    if (kind === 1) return pick(CODE)
    if (kind <= 3) return pick(BLOCKS)
    if (kind <= 5) return makeList()
    return sentences(random(4) + 1)
  }

  function makeList(): string {
    const isOrdered = random(2) === 0
    const items = Array.from({ length: random(5) + 2 }, (_, index) => {
      const marker = isOrdered ? `${index + 1}. ` : '- '
      const indent = ' '.repeat(marker.length)
      const extra = random(6)
      if (extra === 0) return `${marker}${pick(SENTENCES)}\n\n${shift(pick(CODE), indent)}\n`
      if (extra === 1)
        return `${marker}**Шаг:** ${pick(SENTENCES)}\n${indent}- ${pick(SENTENCES)}\n${indent}- b`
      return `${marker}${pick(SENTENCES)}`
    })
    return items.join('\n')
  }

  function sentences(count: number): string {
    return Array.from({ length: count }, () => pick(SENTENCES)).join(' ')
  }

  function pick(from: readonly string[]): string {
    return from[random(from.length)] ?? ''
  }
}

function shift(text: string, indent: string): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? line : indent + line))
    .join('\n')
}
