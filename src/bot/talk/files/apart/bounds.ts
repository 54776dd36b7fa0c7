/** The memory that the whole process may take. A Word document of 250 pages, much formatted, takes 390 MB, a PDF of as many 150 MB. */
export const MEMORY_MB_MAX = 450

/** The heap that it may have. Only a leap overflows it: growth by steps is seen before. */
export const HEAP_MB_MAX = 320

/** How long it may run. 250 pages take a second or two; on a busy machine several times as much. */
export const READ_MS_MAX = 15_000
