/** Of the whole process. A Word document of 250 pages, much formatted, takes 390 MB, a PDF of as many 150 MB. */
export const MEMORY_MB_MAX = 450

/** Of its heap, which overflows only by a leap: what grows by steps is seen before. */
export const HEAP_MB_MAX = 320

/** From its start on. 250 pages take a second or two; on a busy machine several times as much. */
export const READ_MS_MAX = 15_000
