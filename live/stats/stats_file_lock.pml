/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A model, for spin, of the start and the end of writers of one statistics file: check_existing(),
 * remove_leftover(), create_file(), stats_file_lock_publish() and stats_file_lock_unlink() of
 * stats_file_lock.c. Each writer may die at any step, and then loses its locks.
 * tests/build/models.sh searches all states, then those with each of the mistakes (#ifdef) below.
 *
 * Properties:
 *	own		a writer gives the path to its own file
 *	alone		no writer replaces or removes the file of a writer that lives
 *
 * Bounds. Three writers start at any time, so one may end or die while two start at once. The last
 * one does not die, but may end. A writer tries twice (10 in the code) to create
 * the temporary file: each time the steps are the same.
 *
 * Assumed: a system call is one step. The kernel releases the lock of a process that dies, and
 * no inode number is used again while a writer has its file open.
 */
#define WRITERS 3
#define TRIES 2
#define NO_FILE 0

/* A broken property is in the message of spin. These variables stay false. */
bool own, alone;
#define HOLDS(property, condition) assert(property || (condition))

byte name, temporary;		  /* the file, by inode number, of each name */
byte holder[WRITERS * TRIES + 1]; /* of each file: the writer that has its lock */
byte created;			  /* files */
byte owner[WRITERS * TRIES + 1];  /* for the properties: its writer, if that lives */
bool dies[WRITERS + 1];

#define IS_FREE(file) (!holder[file] || holder[file] == me)
#define NO_OTHER_LIVES(file) (!owner[file] || owner[file] == me)

inline close_files()
{
	d_step {
		holder[leftover] = (holder[leftover] == me -> 0 : holder[leftover]);
		holder[file] = (holder[file] == me -> 0 : holder[file]);
		owner[file] = (owner[file] == me -> 0 : owner[file]);
		leftover = NO_FILE;
		file = NO_FILE
	}
}

/* A file whose writer lives is not replaced. */
inline check_existing()
{
	existing = name;
	if
	:: IS_FREE(existing) -> existing = NO_FILE
	:: else -> existing = NO_FILE; goto refused
	fi
}

inline remove_leftover()
{
	leftover = temporary;
	if
	:: leftover != NO_FILE ->
#ifndef LEFTOVER_NOT_LOCKED /* alone: the temporary file of a writer that lives is removed */
		if
		:: atomic { !holder[leftover] -> holder[leftover] = me }
		:: atomic { holder[leftover] -> leftover = NO_FILE; goto refused }
		fi;
#endif
#ifdef LEFTOVER_NOT_CHECKED /* alone: the name belongs to a later file now */
		found = true;
#else
		found = temporary == leftover;
#endif
		if
		:: found -> atomic { HOLDS(alone, NO_OTHER_LIVES(temporary)); temporary = NO_FILE }
		:: else
		fi;
		d_step {
			holder[leftover] = (holder[leftover] == me -> 0 : holder[leftover]);
			leftover = NO_FILE;
			found = false
		}
	:: else
	fi
}

inline create_file()
{
	atomic {
		if
		:: temporary == NO_FILE -> created++; file = created; temporary = file
		:: else
		fi
	};
	if
	:: file != NO_FILE ->
		if
		:: atomic { !holder[file] -> holder[file] = me; owner[file] = me }
		:: atomic { holder[file] -> file = NO_FILE }
		fi
	:: else
	fi;
#ifndef CREATED_NOT_CHECKED /* own: another writer removed the file before it was locked */
	if
	:: file != NO_FILE && temporary != file -> close_files()
	:: else
	fi
#endif
}

proctype writer(byte me)
{
	byte tries, existing, leftover, file;
	bool found;

	{
		check_existing();
		do
		:: file == NO_FILE && tries < TRIES -> tries++; remove_leftover(); create_file()
		:: else -> break
		od;
		if
		:: file == NO_FILE -> goto refused
		:: else
		fi;
#ifndef CHECKED_ONCE /* alone: a writer published after the first check */
		existing = name;
		if
		:: IS_FREE(existing)
		:: else ->
			atomic { HOLDS(alone, NO_OTHER_LIVES(temporary)); temporary = NO_FILE };
			goto refused
		fi;
#endif
		atomic { /* stats_file_lock_publish() */
			HOLDS(own, temporary == file);
			HOLDS(alone, NO_OTHER_LIVES(name));
			name = temporary;
			temporary = NO_FILE
		};
		found = name == file; /* stats_file_lock_unlink() */
		if
		:: found -> atomic { HOLDS(alone, NO_OTHER_LIVES(name)); name = NO_FILE }
		:: else
		fi;
refused:
		skip
	} unless { dies[me] };
	close_files()
}

proctype kill(byte who)
{
	dies[who] = true
}

init {
	byte who;

	atomic {
		for (who : 1 .. WRITERS) {
			run writer(who)
		}
		/* all but the last may die */
		for (who : 1 .. WRITERS - 1) {
			run kill(who)
		}
	}
}
