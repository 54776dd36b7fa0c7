import type { Understood } from './wordings.ts'

/** Wordings with an option in the middle of a description, where it stays. */
export const MIDDLE_WORDINGS: readonly Understood[] = [
  {
    kind: 'video',
    as: '15 seconds; 4k? 5 s, 720p or 5 s, 1080p or 10 s, 720p',
    texts: [['a clip 15 seconds long of a fox 4k', 'a clip 15 seconds long of a fox']],
  },
  {
    kind: 'video',
    as: '15 секунд? 5 s or 10 s',
    texts: [['лиса 15 секунд бежит по снегу', 'лиса 15 секунд бежит по снегу']],
  },
  {
    kind: 'video',
    as: '10s? 5 s or 10 s',
    texts: [
      ['a countdown of 10s shown on a wall', 'a countdown of 10s shown on a wall'],
      ['a fox, 10s, running', 'a fox, 10s, running'],
    ],
  },
  {
    kind: 'video',
    as: '10-second? 5 s or 10 s',
    texts: [['make a 10-second clip of a fox', 'make a 10-second clip of a fox']],
  },
  {
    kind: 'video',
    as: '16:9; 10s; 1080p? 5 s, 720p or 5 s, 1080p or 10 s, 720p',
    texts: [['a 10s countdown on a 1080p screen in 16:9', 'a 10s countdown on a 1080p screen']],
  },
  {
    kind: 'video',
    as: '1080p? 720p or 1080p',
    texts: [['a fox in 1080p running', 'a fox in 1080p running']],
  },
  {
    kind: 'video',
    as: '4k? 720p or 1080p',
    texts: [['a 4k fox runs', 'a 4k fox runs']],
  },
  {
    kind: 'video',
    as: 'вертикальное видео? 16:9 or 9:16',
    texts: [['сделай вертикальное видео про лису', 'сделай вертикальное видео про лису']],
  },
  {
    kind: 'video',
    as: 'nothing but a description',
    texts: [
      [
        'in the last 10 seconds of a match they score',
        'in the last 10 seconds of a match they score',
      ],
      ['wait 10 seconds before the jump', 'wait 10 seconds before the jump'],
      ['a train leaves at 9:16 in the morning', 'a train leaves at 9:16 in the morning'],
      ['with 1080 elephants on a hill', 'with 1080 elephants on a hill'],
      ['a woman in portrait light', 'a woman in portrait light'],
      ['a fox, cinematic, a 4k look, snow', 'a fox, cinematic, a 4k look, snow'],
    ],
  },
]
