"""People, colleges and teams that do not exist."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_GIVEN_TEXT: Final = (
    "Aarav Ananya Vivaan Ishita Aditya Saanvi Arjun Myra Rohan Kavya Siddharth Priya Nikhil Zara "
    "Farhan Lakshmi Harpreet Tenzin Oindrila Joseph Mariam Devika Imran Pooja Karthik Nandini "
    "Gurleen Rahul Swati Manav Ritika Yash Fatima Tarun Shreya Abhinav Leela Vikram Anjali Samuel "
    "Emeka Sofia Haruto Chloe Mateo Amina"
)
_GIVEN: Final = _GIVEN_TEXT.split()
_FAMILY_TEXT: Final = (
    "Sharma Iyer Banerjee Khan Patel Reddy Nair Singh Deshmukh Gupta Mehta Das Kulkarni Fernandes "
    "Chowdhury Rao Joshi Bhutia Pillai Mishra Thomas Ansari Kaur Bose Shetty Verma Naidu Saxena "
    "Dorji Menon Trivedi Okafor Rossi Tanaka Martin Haddad"
)
_FAMILY: Final = _FAMILY_TEXT.split()
COLLEGES: Final = (
    "Vindhya Institute of Technology",
    "Konkan School of Engineering",
    "Lotus Valley University",
    "Brahmaputra College of Science",
    "Nilgiri Institute of Design",
    "Thar Technical University",
    "Coromandel Engineering College",
    "Chambal School of Computing",
    "Sundarban University",
    "Malwa Institute of Informatics",
)
_TEAMS_TEXT: Final = (
    "Chakravyuh Null Pointers|Byte Sarathis|Arrow of Arjun|Stack Overgrown|Monsoon Merge|"
    "Chai Driven Development|The Rebase Case|Gandiva Labs|Kernel Panchayat|Segfault Sepoys|"
    "Jugaad Engineers|Cache Me Outside|Bhim Deploys|Pixel Pandavas|Rickshaw Runtime|"
    "Tiffin Stack|Async Ashoka|Hash Map Holkar|Masala Monads|Dev Durbar|Binary Bazaar|"
    "Git Push Prayers|Sudo Sutradhar|Lambda Lassi|Cloud Nine Kolkata|Regex Rangers|"
    "Kurta and Kubernetes|Deccan Daemons|Mango Protocol|Neural Naan|Ghat Side Rendering|"
    "Infinite Loopers|Peacock Pipelines|Socket Samosas|Tensor Tigers|Banyan Tree Search|"
    "Quantum Quilts|Spice Route|Dhaba Data|Firefly Firmware|Bug Bounty Biryani|Sitar Strings|"
    "Open Saucery|Rangoli Renderers|Solar Autos|Heap of Hope|Night Market|Vada Py|"
    "Monolith Mates|Kite Runners|Delta Dhol|Commit Circus|Silk Sockets|Paper Boats|Root Two|"
    "Ctrl Alt Elite|Postbox|Green Corridor|Idli Compilers|Tabla Rasa|Copper Coast|Loop Lagoon|"
    "Weaver Birds|Station Masters|Fifth Element|Rain Gauge|Salt March|Signal Kites|Mud Huts|"
    "Little Endians|Zero Day Zari|Warp and Weft|Boot Camp Boys|The Semicolons|Clay Pots|"
    "Blue Pottery|Hill Station|Ferry Cross|Tide Pool|Ember|Long Division|Tin Drum|Plain Text|"
    "Kolam Kernel|Dune Runners|Night Train|Two Rupees|Backwater Bots|Saffron Shell|Gully Git|"
    "Marigold|Bamboo Grove|Lantern Code|Toddy Shop Devs|First Light|Old Delhi Deque|Camel Case|"
    "Snake Case|Kebab Case|Steppe Wells|Cold Start|Warm Cache|Happy Path|Edge Cases|Last Mile|"
    "Slow Boat|Packet Post|Field Notes"
)
#: In the order in which they are founded.
TEAMS: Final = _TEAMS_TEXT.split("|")


@dataclass(frozen=True)
class Someone:
    """Somebody who takes part."""

    user_id: str
    first_name: str
    last_name: str
    email: str
    college: str
    year: str
    phone: str


def everybody() -> Iterator[Someone]:
    """As many different people as are wanted, always in the same order."""
    for number in range(len(_GIVEN) * len(_FAMILY)):
        # Both wheels turn, so that neighbours do not share a name.
        turn, at = divmod(number, len(_GIVEN))
        first, last = _GIVEN[at], _FAMILY[(at * 5 + turn * 7) % len(_FAMILY)]
        yield Someone(
            user_id=f"demo-person-{number}",
            first_name=first,
            last_name=last,
            email=f"{first}.{last}.{turn}@example.org".lower(),
            college=COLLEGES[(at * 3 + turn) % len(COLLEGES)],
            year=str(1 + number % 4),
            phone=f"+9190000{number:05d}",
        )
